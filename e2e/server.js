// The real `provost serve` over a world, and a client that can also send what a browser would not.

import http from 'node:http';

import { end, until } from './world.js';

/// Longer than the server itself waits for anything.
const ANSWER_MS = 60_000;

/// A server that is up. `log` is everything that it printed.
export class Server {
  /// With these options; an object among them is variables.
  static async start(world, ...options) {
    const server = new Server();
    server.world = world;
    server.options = options.filter((it) => typeof it === 'string');
    server.variables = Object.assign({}, ...options.filter((it) => typeof it === 'object'));
    // Also one that never comes up is ended with its world.
    world.ends.unshift(() => server.stop());
    await server.#up('127.0.0.1:0');
    return server;
  }

  async #up(listen) {
    this.log = '';
    this.child = this.world.spawn(['serve', '--listen', listen, ...this.options], this.variables);
    const hear = (piece) => (this.log += piece);
    this.child.stdout.setEncoding('utf8').on('data', hear);
    this.child.stderr.setEncoding('utf8').on('data', hear);
    const [, url, token] = await until(() => {
      if (this.child.exitCode !== null) throw new Error(`provost serve ended: ${this.log}`);
      return /(http:\/\/[^\s/]+)\/#token=([A-Za-z0-9_-]+)/.exec(this.log);
    }, 'the address of the server');
    this.url = url;
    this.port = Number(new URL(url).port);
    this.token = token;
    this.key = undefined;
  }

  /// Where the page is for somebody who has the token.
  get entry() {
    return `${this.url}/#token=${this.token}`;
  }

  stop() {
    return end(this.child);
  }

  kill() {
    return end(this.child, 'SIGKILL');
  }

  /// Starts it again at the same address.
  async restart() {
    await this.stop();
    await this.#up(`127.0.0.1:${this.port}`);
  }

  /// A key, as the page gets one.
  async session() {
    if (!this.key) {
      const answer = await this.ask('POST', '/api/session', { body: { token: this.token }, key: null });
      if (answer.status !== 200) throw new Error(`no session: ${answer.status} ${answer.text}`);
      this.key = answer.json.key;
    }
    return this.key;
  }

  async get(path, more = {}) {
    return this.ask('GET', path, { key: await this.session(), ...more });
  }

  async post(path, body, more = {}) {
    return this.ask('POST', path, { key: await this.session(), body, ...more });
  }

  /// An order of a person, with what they saw.
  async order(task, action, payload = {}, more = {}) {
    const seen = more.seen ?? (await this.seen(task));
    const request_id = more.request_id ?? crypto.randomUUID();
    return this.post(`/api/tasks/${task}/orders`, { request_id, action, payload, seen }, more.http);
  }

  /// What a person sees of a task now.
  async seen(task) {
    const { current_attempt: attempt, state_version } = (await this.get(`/api/tasks/${task}/status`)).json;
    return { attempt, state_version };
  }

  /// One request, exactly as it is written here.
  ask(method, path, { headers = {}, body, key, agent } = {}) {
    const all = { ...headers };
    if (key) all.Authorization ??= `Bearer ${key}`;
    const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    if (payload !== undefined) all['Content-Type'] ??= 'application/json';
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: this.port, method, path, headers: all, agent };
      const request = http.request(options, (answer) => {
        const pieces = [];
        answer.on('data', (piece) => pieces.push(piece));
        answer.on('end', () => {
          const bytes = Buffer.concat(pieces);
          const text = bytes.toString('utf8');
          resolve({
            status: answer.statusCode,
            headers: answer.headers,
            bytes,
            text,
            get json() {
              return JSON.parse(text);
            },
          });
        });
        answer.on('error', reject);
      });
      request.on('error', reject);
      request.setTimeout(ANSWER_MS, () => request.destroy(new Error(`${method} ${path}: no answer`)));
      request.end(payload);
    });
  }

  /// An open event stream: what came so far, and a way to close it.
  async stream(topics, { last } = {}) {
    const headers = { Authorization: `Bearer ${await this.session()}` };
    if (last) headers['Last-Event-ID'] = last;
    const path = `/api/stream?topics=${encodeURIComponent(topics)}`;
    const frames = [];
    const stream = { frames, status: 0, isOpen: true, close() {} };
    await new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: this.port, path, headers, agent: false };
      const request = http.request(options, (answer) => {
        stream.status = answer.statusCode;
        let rest = '';
        answer.setEncoding('utf8');
        answer.on('data', (piece) => {
          rest += piece;
          const parts = rest.split('\n\n');
          rest = parts.pop();
          frames.push(...parts.map(frame).filter(Boolean));
        });
        const over = () => (stream.isOpen = false);
        answer.on('end', over).on('close', over).on('error', over);
        stream.close = () => request.destroy();
        resolve();
      });
      request.on('error', (error) => (stream.status ? (stream.isOpen = false) : reject(error)));
      request.end();
    });
    this.world.ends.unshift(() => stream.close());
    return stream;
  }
}

/// One frame of an event stream; a comment is none.
function frame(text) {
  const fields = {};
  for (const line of text.split('\n')) {
    const at = line.indexOf(':');
    if (at > 0) fields[line.slice(0, at)] = (fields[line.slice(0, at)] ?? '') + line.slice(at + 1).trimStart();
  }
  if (!fields.event && !fields.data) return null;
  return { ...fields, data: fields.data ? JSON.parse(fields.data) : null };
}

/// The routes of the server's own description, with every parameter that is needed filled in.
export async function routes(server, values, method = 'get') {
  const { paths } = (await server.get('/api/openapi.json')).json;
  const value = (name, route) => {
    if (!(name in values)) throw new Error(`no value for {${name}} of ${route}`);
    return encodeURIComponent(values[name]);
  };
  return Object.entries(paths)
    .filter(([, operations]) => operations[method])
    .map(([route, operations]) => {
      const query = (operations[method].parameters ?? [])
        .filter((it) => it.in === 'query' && (it.required || NEEDED.includes(it.name)))
        .map((it) => `${it.name}=${value(it.name, route)}`);
      const path = route.replace(/\{(\w+)\}/g, (_, name) => value(name, route));
      const writes = Boolean(operations[method]['x-writes']);
      return { route, writes, path: query.length ? `${path}?${query.join('&')}` : path };
    });
}

/// Parameters without which an address has nothing to say.
const NEEDED = ['file', 'topics'];
