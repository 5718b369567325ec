'use strict';
const lines = require('@HOOKS@/lines.cjs')('jest');
const OUTCOMES = { passed: 'passed', failed: 'failed' };
module.exports = class {
  onRunStart() {
    lines.begin();
  }
  onTestResult(test, result) {
    for (const it of result.testResults) {
      lines.test(result.testFilePath, [...it.ancestorTitles, it.title], OUTCOMES[it.status] || 'skipped');
    }
    if (result.testExecError) lines.test(result.testFilePath, ['(load)'], 'failed');
  }
  onRunComplete() {
    lines.end();
  }
  getLastError() {}
};
