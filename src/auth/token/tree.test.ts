import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { at } from '../../sys/testing.ts';
import { TokenServer } from './testing.ts';
import { TreeModel, type Wish } from './tree-model.ts';

const SEED = 20_261_120;
const RUNS = 40;
const STEPS = 40;

/** Beyond the places there are, a place counts from the beginning again. */
const place = fc.nat(30);
const rarely = (...values: readonly number[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.constantFrom(...values));

const wish: fc.Arbitrary<Wish> = fc.record({
  batch: fc.constantFrom(false, false, true),
  orphan: fc.constantFrom(false, false, false, true),
  ttl: rarely(1, 2, 600, 7_200, 9_000),
  period: rarely(2, 300, 9_000),
  explicitMaxTtl: rarely(2, 700, 9_000),
  uses: rarely(1, 2),
});

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('create' as const), by: place, wish }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('create' as const), by: fc.constant(undefined), wish }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('login' as const), mount: fc.constantFrom('a', 'b') }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('renew' as const), at: place, increment: rarely(1, 60, 9_000) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('use' as const), at: place }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'revoke' as const,
        'revokeSelf' as const,
        'revokeAlone' as const,
        'revokeAccessor' as const,
      ),
      at: place,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      millis: fc.constantFrom(1, 999, 1_000, 300_500, 3_600_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('settle' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('toggle' as const), mount: fc.constantFrom('a', 'b') }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The server and the model, side by side. */
class Pair {
  readonly #server: TokenServer;
  readonly #model: TreeModel;
  /** In the order of the model. */
  readonly #made: { readonly token: string; readonly accessor: string }[] = [];

  constructor(server: TokenServer) {
    this.#server = server;
    this.#model = new TreeModel(server.now);
  }

  async take(step: Step): Promise<void> {
    const count = this.#made.length;
    if ('at' in step || step.kind === 'create') {
      const given = 'at' in step ? step.at : step.by;
      const at = given === undefined || count === 0 ? undefined : given % count;
      if (step.kind === 'create') return this.#create(at, step.wish);
      if (at !== undefined) await this.#change(step, at);
      return;
    }
    if (step.kind === 'login') await this.#login(step.mount);
    else if (step.kind === 'settle') await this.#server.settle();
    else if (step.kind === 'toggle') await this.#toggle(step.mount);
    else {
      this.#server.pass(step.millis / 1_000);
      this.#model.now = this.#server.now;
    }
  }

  async #create(by: number | undefined, wish: Wish): Promise<void> {
    const { batch, orphan, ttl, period, explicitMaxTtl, uses } = wish;
    const body = {
      ...(by === undefined ? { policies: ['maker'] } : {}),
      ...{ type: batch ? 'batch' : 'service', ttl, period, explicit_max_ttl: explicitMaxTtl, num_uses: uses },
      no_parent: orphan,
    };
    const wanted = this.#model.create(by, by === undefined ? { ...wish, orphan: true } : wish);
    // A child of the root token lives as long as an orphan does here.
    const sent = by === undefined ? { ...body, no_parent: true } : body;
    const { status, json, text } = await this.#server.call(
      'create',
      sent,
      by === undefined ? undefined : this.#of(by).token,
    );
    assert.equal(status, wanted, text);
    if (status === 200) this.#keep(at(json, 'auth'));
  }

  async #login(mount: string): Promise<void> {
    const there = this.#model.mounts.has(mount);
    const { status, json } = await this.#server.server.call('POST', `auth/${mount}/login/ada`, { token: undefined });
    assert.equal(status, there ? 200 : 403);
    if (!there) return;
    this.#model.create(
      undefined,
      { batch: false, orphan: true, ttl: 600, period: 0, explicitMaxTtl: 0, uses: 0 },
      mount,
    );
    this.#keep(at(json, 'auth'));
  }

  async #toggle(mount: string): Promise<void> {
    const { mounts, tokens } = this.#model;
    const there = mounts.delete(mount);
    if (there) for (const token of tokens) if (token.mount === mount) token.gone = true;
    if (!there) mounts.add(mount);
    const body = there ? {} : { body: { type: 'door' } };
    assert.equal((await this.#server.server.call(there ? 'DELETE' : 'POST', `sys/auth/${mount}`, body)).status, 204);
  }

  async #change(step: Extract<Step, { at: number }>, at: number): Promise<void> {
    const { token, accessor } = this.#of(at);
    const model = this.#model;
    switch (step.kind) {
      case 'renew': {
        const { increment } = step;
        const wanted = model.renew(at, increment);
        assert.equal(await this.#server.status('renew', { token, increment }), wanted, 'renew');
        break;
      }
      case 'use':
        assert.equal(await this.#server.lives(token), model.use(at) === 200, 'use');
        break;
      case 'revokeAccessor': {
        if (accessor === '') return;
        assert.ok([200, 204].includes(await this.#server.status('revoke-accessor', { accessor })));
        model.revoke(at);
        break;
      }
      case 'revoke':
        assert.equal(await this.#server.status('revoke', { token }), model.revoke(at), 'revoke');
        break;
      case 'revokeSelf':
        assert.equal(await this.#server.status('revoke-self', {}, token), model.revokeSelf(at), 'revoke-self');
        break;
      case 'revokeAlone':
        assert.equal(await this.#server.status('revoke-orphan', { token }), model.revokeAlone(at), 'revoke-orphan');
    }
  }

  #of(at: number): { readonly token: string; readonly accessor: string } {
    return this.#made[at] ?? assert.fail('the token is known');
  }

  #keep(auth: unknown): void {
    this.#made.push({ token: String(at(auth, 'client_token')), accessor: String(at(auth, 'accessor')) });
  }

  /** Every token is as the model says. */
  async compare(): Promise<void> {
    for (const [i, { token, accessor }] of this.#made.entries()) {
      const known = this.#model.tokens[i] ?? assert.fail('the model knows it');
      const { status, json } = await this.#server.call('lookup', { token });
      const data = at(json, 'data');
      const seen =
        status === 200 ? { ttl: at(data, 'ttl'), orphan: at(data, 'orphan'), uses: at(data, 'num_uses') } : undefined;
      assert.deepEqual(seen, this.#model.sight(known), `token ${i}`);
      if (accessor === '') continue;
      assert.equal(await this.#server.status('lookup-accessor', { accessor }), seen === undefined ? 400 : 200);
    }
  }

  get seen(): { readonly made: number; readonly dead: number } {
    const dead = this.#model.tokens.filter((token) => !this.#model.alive(token)).length;
    return { made: this.#made.length, dead };
  }
}

test('any tree of tokens is, after every step, what a plain list of parents says', async () => {
  let made = 0;
  let dead = 0;
  const property = fc.asyncProperty(fc.array(step, { minLength: STEPS / 2, maxLength: STEPS }), async (steps) => {
    const pair = new Pair(await TokenServer.open());
    await pair.take({ kind: 'toggle', mount: 'a' });
    for (const one of steps) {
      await pair.take(one);
      await pair.compare();
    }
    made += pair.seen.made;
    dead += pair.seen.dead;
  });
  await fc.assert(property, { seed: SEED, numRuns: RUNS });
  assert.ok(made > RUNS * 5 && dead > RUNS * 2 && made - dead > RUNS, `${made} made, ${dead} dead`);
});
