// Starts the server of the package on a free port of loopback and prints its address; then the
// name of each method of the bot that was answered, so that a test can wait for it.
//
// usage: node launch.js FOLDER, where FOLDER holds `node_modules`. It ends with its stdin.

import { createRequire } from 'node:module';
import path from 'node:path';

// The package answers a poll at once, whatever its `timeout`. An empty one is held for this long,
// in milliseconds, so that a bot does not poll without a pause.
const HOLD = 1000;
const ARRIVALS = ['AddedUserMessage', 'AddedUserCommand', 'AddedUserCallbackQuery'];

const installed = createRequire(path.join(process.argv[2], 'package.json'));
const TelegramServer = installed('telegram-test-api');
const server = new TelegramServer({ host: '127.0.0.1', storeTimeout: 3600 });
// The constructor takes 0 for a port that was not given.
server.config.port = 0;

const answer = server.webServer;
server.webServer = async (request, response) => {
  const [, token, method] = /^\/bot([^/]+)\/(\w+)/.exec(request.url) ?? [];
  if (method === 'getUpdates') {
    if (!hasUpdates(token)) await arrival(response);
    // What is delivered counts as read: a bot that left must not take updates with it.
    if (request.socket.destroyed) return;
  } else if (method) {
    response.on('finish', () => console.log(method));
  }
  answer(request, response);
};
server.webServer.settings = answer.settings;

function hasUpdates(token) {
  return server.storage.userMessages.some((it) => it.botToken === token && !it.isRead);
}

function arrival(response) {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      for (const name of ARRIVALS) server.off(name, finish);
      response.off('close', finish);
      resolve();
    };
    const timer = setTimeout(finish, HOLD);
    for (const name of ARRIVALS) server.on(name, finish);
    response.on('close', finish);
  });
}

process.stdin.on('end', () => process.exit()).resume();
await server.start();
console.log(`http://127.0.0.1:${server.server.address().port}`);
