// The views of the page, with an address of each.

export const VIEWS = [
  ['tasks', '/'],
  ['inbox', '/inbox'],
  ['task', '/tasks/ready'],
  ['task-liar', '/tasks/liar'],
  ['task-question', '/tasks/question'],
  ['task-approved', '/tasks/approved'],
  ['new', '/new'],
  ['stories', '/stories'],
  ['evals', '/evals'],
  ['learn', '/learn'],
  ['guard', '/guard'],
  ['audit', '/audit'],
];
