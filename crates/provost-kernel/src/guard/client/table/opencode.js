// The guard of provost for opencode.
// `provost guard install --client opencode` wrote this file, and `provost guard uninstall --client
// opencode` removes it. Before a tool runs, provost is asked; whatever is not a clear yes stops it.
import { spawn } from "node:child_process";

const COMMAND = ["@COMMAND@"];
const DEADLINE_MS = 10000;

function ask(payload) {
  return new Promise((resolve, reject) => {
    const [program, ...args] = COMMAND;
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
    const stdout = [];
    const stderr = [];
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error("provost did not answer in time, so the tool does not run"));
    }, DEADLINE_MS);
    const fail = (error) => {
      clearTimeout(timer);
      reject(new Error(`provost cannot be asked, so the tool does not run: ${error.message}`));
    };
    child.on("error", fail);
    // A program that does not read its input is judged by its answer.
    child.stdin.on("error", () => {});
    child.stdout.on("data", (bytes) => stdout.push(bytes));
    child.stderr.on("data", (bytes) => stderr.push(bytes));
    child.on("close", (code) => {
      clearTimeout(timer);
      const text = (parts) => Buffer.concat(parts).toString("utf8").trim();
      resolve({ code, stdout: text(stdout), stderr: text(stderr) });
    });
    child.stdin.end(JSON.stringify(payload));
  });
}

async function guard(payload) {
  const { code, stdout, stderr } = await ask(payload);
  let answer;
  try {
    answer = JSON.parse(stdout);
  } catch {
    throw new Error(stderr || "provost gave no answer, so the tool does not run");
  }
  if (code !== 0 || answer === null || typeof answer !== "object" || answer.continue !== true) {
    throw new Error(answer?.message || stderr || "provost refuses this");
  }
}

export const ProvostGuard = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    await guard({
      session_id: input.sessionID,
      cwd: directory,
      tool_name: input.tool,
      tool_input: output.args,
      tool_use_id: input.callID,
    });
  },
});
