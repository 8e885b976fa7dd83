#!/usr/bin/env node
import { runProgram } from './cli/program.ts';

/** A reader that went away, such as `head`, is no reason to end a server. */
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

process.exitCode = await runProgram(process.argv.slice(2), {
  environment: process.env,
  input: process.stdin,
  terminal: process.stderr.isTTY,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
// What was read from a terminal keeps its stream open.
process.stdin.destroy();
