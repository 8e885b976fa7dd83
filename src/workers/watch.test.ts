import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Watch, type Watched } from './watch.ts';

class Process implements Watched {
  readonly pid = 7;
  readonly #stopped: boolean;
  readonly #answers: (beat: number) => boolean;
  #unanswered = 0;
  #beats = 0;
  killed: number | undefined;

  constructor(stopped: boolean, answers: (beat: number) => boolean) {
    this.#stopped = stopped;
    this.#answers = answers;
  }

  stopped(): boolean {
    return this.#stopped;
  }

  beat(): number {
    if (this.#answers(this.#beats++)) this.#unanswered = 0;
    return this.#unanswered++;
  }

  excuse(): void {
    this.#unanswered = Math.min(this.#unanswered, 1);
  }

  kill(): void {
    this.killed ??= this.#beats;
  }
}

const seconds = (count: number): number[] => Array.from({ length: count }, (_, i) => (i + 1) * 1_000);

/** Every third turn comes 600 ms late. */
const late = seconds(60).map((at) => at * 1.2 + (at % 3_000 === 0 ? 600 : 0));

for (const { name, stopped, answers, turns = seconds(60), killed } of [
  { name: 'one that always answers', stopped: false, answers: () => true, killed: undefined },
  { name: 'one that is stopped', stopped: true, answers: () => false, killed: 6 },
  {
    name: 'one that is stopped for four beats now and then',
    stopped: true,
    answers: (beat: number) => beat % 5 === 0,
    killed: undefined,
  },
  { name: 'one that stops after a while', stopped: true, answers: (beat: number) => beat < 20, killed: 25 },
  { name: 'one that is busy', stopped: false, answers: () => false, killed: 31 },
  {
    name: 'one that is busy for 29 beats',
    stopped: false,
    answers: (beat: number) => beat % 30 === 0,
    killed: undefined,
  },
  {
    name: 'one on a machine that is short of time',
    stopped: false,
    answers: () => false,
    turns: late,
    killed: undefined,
  },
  { name: 'one that is stopped on such a machine', stopped: true, answers: () => false, turns: late, killed: 6 },
]) {
  test(`${name} ${killed === undefined ? 'lives' : `is ended at beat ${killed}`}`, () => {
    const logged: unknown[] = [];
    const nothing = (): void => {};
    const log = {
      debug: nothing,
      info: nothing,
      warn: nothing,
      error: (sentence: string, fields: unknown) => void logged.push([sentence, fields]),
    };
    const process = new Process(stopped, answers);
    const watch = new Watch(() => (process.killed === undefined ? [process] : []), log);
    for (const now of turns) watch.turn(now);
    assert.equal(process.killed, killed);
    const told = ['a worker does not answer and is ended', { worker: 7 }];
    assert.deepEqual(logged, killed === undefined ? [] : [told]);
  });
}
