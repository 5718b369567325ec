// The views of the page, with an address of each and the world in which it has something to show.

import { annals, forged } from './annals.js';
import { gallery } from './gallery.js';

/// The views of the gallery.
export const VIEWS = [
  ['tasks', '/'],
  ['inbox', '/inbox'],
  ['task', '/tasks/ready'],
  ['task-liar', '/tasks/liar'],
  ['task-cheat', '/tasks/cheat'],
  ['task-question', '/tasks/question'],
  ['task-approved', '/tasks/approved'],
  ['task-untested', '/tasks/untested'],
  ['new', '/new'],
  ['stories-empty', '/stories'],
  ['evals-empty', '/evals'],
  ['guard-empty', '/guard'],
  ['audit', '/audit'],
  ['missing', '/stories/no/such'],
];

/// The views of what is not a task.
const ANNALS = [
  ['stories', '/stories'],
  ['evals', '/evals'],
  ['learn', '/learn/judge-engineering_impl'],
  ['learn-mission', '/learn/demo'],
  ['learn-gate', '/learn/reviews'],
  ['guard', '/guard'],
  ['task-claimant', '/tasks/claimant'],
];

const FORGED = [
  ['audit-broken', '/audit'],
  ['tasks-broken', '/'],
];

/// Every world with its views.
export const WORLDS = [
  [gallery, VIEWS],
  [annals, ANNALS],
  [forged, FORGED],
];
