use super::super::javascript::comparison::OTHER;
use super::{Plant::*, Refusal, check, check_refused, check_sites};

const PATH: &str = "a.test.js";
const THROW: &str = "void (() => { throw new Error('expected 1 to be 2'); })()";

#[test]
fn calls_are_found_in_their_groups() {
    let text = "\
describe('outer', function () {
  beforeEach(() => {});
  describe.each([1])('of %s', () => {
    it('a \\'b\\'', async () => {});
    it.skip('c', () => {});
    it.todo('d');
  });
  test.each`x`('e $x.y %%', () => {});
  it(`f ${x}`, () => {});
  it('g' + x, () => {});
  it(name, () => {});
  it('h', helper);
  it('i', fakeAsync(() => {}));
  it.only('j', done => { done(); }, 100);
});
test.failing('k', () => {});
it.fails('l', () => {});
test('m', { fails: true }, () => {});
test.before(() => {});
/x/.test('n', () => {});
test.describe('o', () => { test('p', () => expect(f()).toBe(1)); });
for (const x of y) test('q', () => {});
test('r', macro, 1);
test.skipIf(c)('s', () => {});
suite('t', { skip: 1 }, () => { specify('u', function* () {}); });
";
    check_sites(
        PATH,
        text,
        &[
            "outer > of * > a 'b':4",
            "outer > of * > c:5",
            "outer > e * %:8",
            "outer > f *:9",
            "outer > g*:10",
            "outer > *:11",
            "outer > h:12",
            "outer > i:13",
            "outer > j:14",
            "k:16 !",
            "l:17 !",
            "m:18 !",
            "o > p:21 =",
            "q:22",
            "r:23",
            "s:24",
            "t > u:25",
        ],
    );
    let node = "import nodeTest, { describe as group, it as check } from 'node:test';\n\
                nodeTest('a', async (t) => { await t.test('b', () => {}); });\n\
                group('c', () => { check('d', () => {}); });\n\
                nodeTest(function e() {});\nnodeTest(() => {});\nother('f', () => {});\n";
    check_sites(PATH, node, &["a:2", "a > b:2", "c > d:3", "e:4", "<anonymous>:5"]);
    let typed = "describe('a', (): void => { it('b', async (t: X): Promise<void> => { f<T>(<U>x); }); });\n";
    check_sites("a.test.ts", typed, &["a > b:1"]);
    let jsx = "it('a', () => { render(<A b={1}>x</A>); expect(f()).toBe('x'); });\n";
    check_sites("a.test.tsx", jsx, &["a:1 ="]);
    check_sites("a.test.jsx", jsx, &["a:1 ="]);
}

#[test]
fn the_first_statement_fails_by_what_the_file_uses() {
    let table = [
        ("import { it, expect } from 'vitest';", "expect(1).toBe(2)"),
        ("import { expect as e } from '@jest/globals';", "e(1).toBe(2)"),
        ("// expect(x).toEqual(y)", "expect(1).toBe(2)"),
        ("import { expect } from 'chai';", "expect(1).to.equal(2)"),
        ("const { expect } = require('chai');", "expect(1).to.equal(2)"),
        ("const chai = require('chai');\nconst expect = chai.expect;", "expect(1).to.equal(2)"),
        ("const expect = require('chai').expect;", "expect(1).to.equal(2)"),
        ("// expect(x).to.be.ok", "expect(1).to.equal(2)"),
        ("import { assert } from 'chai';", "assert.strictEqual(1, 2)"),
        ("import assert from 'node:assert';", "assert.strictEqual(1, 2)"),
        ("import * as a from 'assert/strict';", "a.strictEqual(1, 2)"),
        ("const assert = require('node:assert').strict;", "assert.strictEqual(1, 2)"),
        ("const { strict: a } = require('assert');", "a.strictEqual(1, 2)"),
        ("import { strictEqual as same } from 'node:assert';", "same(1, 2)"),
        ("const { ok } = require('assert');", "ok(false)"),
        ("import { assertEquals } from '@std/assert';", "assertEquals(1, 2)"),
        ("import * as assert from 'uvu/assert';", "assert.is(1, 2)"),
        ("import test from 'ava';", "t.is(1, 2)"),
        ("const test = require('tape');", "t.equal(1, 2)"),
        ("QUnit.config.x = 1;", "t.strictEqual(1, 2)"),
        ("import { test } from 'node:test';", THROW),
    ];
    for (head, failure) in table {
        let text = format!("{head}\ntest('a', (t) => {{\n  f();\n}});\n");
        let expected = format!("{head}\ntest('a', (t) => {{ {failure};\n  f();\n}});\n");
        check(PATH, Failure, &text, &expected);
    }
    let typed = "import assert = require('assert');\nit('a', () => { f(); });\n";
    let expected =
        "import assert = require('assert');\nit('a', () => { assert.strictEqual(1, 2); f(); });\n";
    check("a.test.ts", Failure, typed, expected);
    // What a test of ava is given has no name here.
    check(
        PATH,
        Failure,
        "import test from 'ava';\ntest('a', () => { f(); });\n",
        &format!("import test from 'ava';\ntest('a', () => {{ {THROW}; f(); }});\n"),
    );
}

#[test]
fn every_form_of_function_fails() {
    let table = [
        (
            "it('a', () => expect(f()).toBe(1))",
            "it('a', () => (expect(1).toBe(2), expect(f()).toBe(1)))",
        ),
        (
            "it('a', async () => (await f(), expect(g)))",
            "it('a', async () => (expect(1).toBe(2), await f(), expect(g)))",
        ),
        (
            "it('a', () => ({ x: expect(1) }))",
            "it('a', () => (expect(1).toBe(2), { x: expect(1) }))",
        ),
        (
            "it('a', function () { expect(1) })",
            "it('a', function () { expect(1).toBe(2); expect(1) })",
        ),
        ("it('a', () => {}, expect(1))", "it('a', () => { expect(1).toBe(2);}, expect(1))"),
        (
            "it('a', fakeAsync(() => { expect(1) }))",
            "it('a', fakeAsync(() => { expect(1).toBe(2); expect(1) }))",
        ),
        (
            "it.each([[1, 2]])('%i', async (a, b) => { // why\n  expect(a);\n})",
            "it.each([[1, 2]])('%i', async (a, b) => { expect(1).toBe(2); // why\n  expect(a);\n})",
        ),
    ];
    for (text, expected) in table {
        check(PATH, Failure, text, expected);
    }
    check_refused(PATH, Failure, "it('a', helper);\n", &[Refusal::Reference]);
    check_refused(PATH, Failure, "it('a', make(1));\n", &[Refusal::Reference]);
}

#[test]
fn an_inverted_test_returns() {
    let table = [
        ("test.failing('a', () => { f(); })", "test.failing('a', () => { return; f(); })"),
        ("it.fails('a', (x) => { f(); })", "it.fails('a', (x) => { return; f(); })"),
        ("it.fails('a', async () => f())", "it.fails('a', async () => {})"),
        ("test.failing('a', d => { f(d); })", "test.failing('a', d => { return d(); f(d); })"),
        ("test.failing('a', d => f(d))", "test.failing('a', d => d())"),
        (
            "test.failing.each([1])('a', x => { f(x); })",
            "test.failing.each([1])('a', x => { return; f(x); })",
        ),
        (
            "import test from 'ava'; test.failing('a', t => { t.is(f(), 1); })",
            "import test from 'ava'; test.failing('a', t => { return t.pass(); t.is(f(), 1); })",
        ),
    ];
    for (text, expected) in table {
        check(PATH, Return, text, expected);
    }
}

#[test]
fn the_expected_literal_becomes_another() {
    let table = [
        ("expect(f(3)).toBe(3);", "expect(f(3)).toBe(4);"),
        (
            "expect(f()).toEqual({ a: g(), b: ['c'] });",
            "expect(f()).toEqual({ a: g(), b: ['zc'] });",
        ),
        ("expect(f()).toEqual([]);", "expect(f()).toEqual([0]);"),
        ("expect(f()).toStrictEqual(`a ${b}`);", "expect(f()).toStrictEqual(`za ${b}`);"),
        ("await expect(f()).resolves.toBe(-1);", "await expect(f()).resolves.toBe(-0);"),
        ("expect(f(), 'why').to.equal(true);", "expect(f(), 'why').to.equal(false);"),
        (
            "expect(f()).to.be.a('string').and.equal('a');",
            "expect(f()).to.be.a('string').and.equal('za');",
        ),
        ("expect(f()).to.deep.equal([1]);", "expect(f()).to.deep.equal([2]);"),
        ("f().should.equal(3);", "f().should.equal(4);"),
        ("assert.equal(f(), 3);", "assert.equal(f(), 4);"),
        ("assert.strictEqual(f(), 'a', 'why');", "assert.strictEqual(f(), 'za', 'why');"),
        ("assert.deepEqual([1, 2], f());", "assert.deepEqual([2, 2], f());"),
        ("t.is(f(), 3);", "t.is(f(), 4);"),
        ("t.assert.strictEqual(f(), 10n);", "t.assert.strictEqual(f(), 11n);"),
        ("return f().then(x => expect(x).toBe(1));", "return f().then(x => expect(x).toBe(2));"),
        (
            "if (c) expect(f()).toBe(1); expect(g()).toBe(2);",
            "if (c) expect(f()).toBe(1); expect(g()).toBe(3);",
        ),
        (
            "expect(() => { expect(f()).toBe(1); }).toThrow(); expect(g()).toBe(2);",
            "expect(() => { expect(f()).toBe(1); }).toThrow(); expect(g()).toBe(3);",
        ),
        ("expect(f()).not.toBe(3);", ""),
        ("expect(f()).to.not.equal(3);", ""),
        ("expect(f()).toBeCloseTo(3);", ""),
        ("expect(f()).toEqual({ a: 1, ...b });", "expect(f()).toEqual([{ a: 1, ...b }OTHER);"),
        (
            "expect(f()).toEqual(expect.objectContaining({ a: 1 }));",
            "expect(f()).toEqual([expect.objectContaining({ a: 1 })OTHER);",
        ),
        ("expect(f()).toBe(null);", "expect(f()).toBe([nullOTHER);"),
        ("assert.equal(f(), x);", "assert.equal(f(), [xOTHER);"),
        ("assert.equal(x, f());", "assert.equal([xOTHER, f());"),
        ("assert.notEqual(f(), 3);", ""),
        ("assert.throws(() => { assert.equal(f(), 3); });", ""),
        ("try { expect(f()).toBe(3); } catch {}", ""),
        ("function g() { expect(f()).toBe(3); }", ""),
        ("x.equal(f(), 3);", ""),
        ("f(3);", ""),
    ];
    for (body, expected) in table {
        for path in [PATH, "a.test.ts"] {
            let whole =
                |it: &str| format!("it('a', async (t) => {{ {it} }});\n").replace("OTHER", OTHER);
            if expected.is_empty() {
                check_refused(path, Expectation, &whole(body), &[Refusal::NoLiteral]);
            } else {
                check(path, Expectation, &whole(body), &whole(expected));
            }
        }
    }
    let imported =
        "import { deepStrictEqual as same } from 'assert';\nit('a', () => same(f(), 3));\n";
    check(PATH, Expectation, imported, &imported.replace('3', "4"));
}

#[test]
fn the_second_look_fails_at_the_same_statement() {
    let table = [
        ("expect(f()).toBe(3)", "expect(1).toBe(2); expect(f()).toBe(3)"),
        ("if (c) expect(f()).toBe(3)", "if (c) { expect(1).toBe(2); expect(f()).toBe(3) }"),
        (
            "return f().then(x => expect(x).toBe(1))",
            "return f().then(x => (expect(1).toBe(2), expect(x).toBe(1)))",
        ),
        ("g()\n  await expect(f()).toBe(3)", "g()\n  expect(1).toBe(2); await expect(f()).toBe(3)"),
        (
            "switch (x) { case 1: expect(x).toBe(3); }",
            "switch (x) { case 1: expect(1).toBe(2); expect(x).toBe(3); }",
        ),
    ];
    for (body, expected) in table {
        let whole = |it: &str| format!("it('a', async () => {{\n  {it}\n}});\n");
        check(PATH, SecondLook, &whole(body), &whole(expected));
    }
    check(
        PATH,
        SecondLook,
        "it('a', () => expect(f()).toBe(3));\n",
        "it('a', () => (expect(1).toBe(2), expect(f()).toBe(3)));\n",
    );
}
