//! Plants under `node --test`.

use crate::world::{Report, World};

const MODULE: &str = r"
import test, { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { double } from './product.mjs';

test('literal', () => {
  const x = double(2)
  assert.equal(x, 4)
});

test('expression', () => assert.equal(double('a'), 'aa'));

describe('group', () => {
  it('waits', async () => {
    await null;
    assert.deepEqual([double(1)], [2]);
  });
  describe(`inner ${1 + 1}`, () => {
    for (const x of [1, 2]) {
      it(`of ${x}`, function () { // why
        if (x > 0) assert.strictEqual(double(x) / x, 2);
      });
    }
  });
});

test('outer', async (t) => {
  await t.test('sub', () => { assert.ok(double(1)); });
});

test('promise', () => Promise.resolve(1).then((x) => assert.equal(double(x), 2)));

test('callback', (t, done) => { setTimeout(() => { done(); }, 1); });
";

const COMMON: &str = r"
const { test, describe: group } = require('node:test');
const { double } = require('./product.cjs');

group('without assertions', () => {
  test('throws', () => { if (double(1) !== 2) throw new Error('no'); });
  test('has an object', () => ({ x: double(1) }));
  test(name(), () => {});
});

function name() { return 'made'; }
";

const PRODUCT: &str = "double = (x) => x + x;\n";

#[track_caller]
fn check(path: &str, text: &str) {
    let world = World::new(&[
        ("product.mjs", &format!("export const {PRODUCT}")),
        ("product.cjs", &format!("exports.{PRODUCT}")),
    ]);
    world.check(path, text, |world| {
        let output = world.run("node", &["--test", "--test-reporter=tap", path]);
        reports(&String::from_utf8(output.stdout).unwrap())
    });
    world.write(path, text);
    assert_eq!(world.run("node", &["--test", path]).status.code(), Some(0));
}

#[test]
fn each_planted_test_of_a_module_fails_and_each_other_passes() {
    check("product.test.mjs", MODULE);
}

#[test]
fn each_planted_test_without_an_assertion_fails_and_each_other_passes() {
    check("product.test.cjs", COMMON);
}

/// What TAP says: `# Subtest: name` before a test, `ok` or `not ok` behind it, indented by depth.
fn reports(text: &str) -> Vec<Report> {
    let mut reports = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for line in text.lines() {
        let inner = line.trim_start();
        let depth = (line.len() - inner.len()) / 4;
        if let Some(name) = inner.strip_prefix("# Subtest: ") {
            names.truncate(depth);
            names.push(name.to_owned());
        } else if inner.starts_with("ok ") || inner.starts_with("not ok ") {
            names.truncate(depth + 1);
            reports.push(Report { names: names.clone(), is_passed: inner.starts_with("ok ") });
        }
    }
    reports
}
