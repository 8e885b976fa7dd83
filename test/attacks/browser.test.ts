// Known attack G9: what a browser keeps, guesses, runs or may read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTarget } from './support.ts';

const target = await startTarget();

test('G9 every answer forbids to keep it, to guess its type, to run or frame it, and to be read across origins', async () => {
  await target.put('secret/data/page', '<script>alert(1)</script>');
  const cors = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'GET' };
  for (const [method, path, status] of [
    ['GET', 'secret/data/page', 200],
    ['GET', 'sys/health', 200],
    ['GET', 'sys/seal-status', 200],
    ['GET', 'secret/data/none', 404],
    ['GET', 'secret//data/page', 307],
    ['GET', 'nowhere', 404],
    ['POST', 'secret/data/%00', 400],
    ['DELETE', 'secret/metadata/none', 204],
    ['OPTIONS', 'secret/data/page', 405],
    ['HEAD', 'sys/health', 200],
    ['TRACE', 'sys/health', 405],
    ['GET', `${'x'.repeat(9000)}`, 414],
  ] as const) {
    const { headers } = await target.expect(status, method, path, { headers: cors });
    assert.equal(headers['cache-control'], 'no-store', path);
    assert.equal(headers['x-content-type-options'], 'nosniff', path);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'/, path);
    assert.match(policy, /frame-ancestors 'none'/, path);
    assert.doesNotMatch(policy, /unsafe/, path);
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('access-control-') || name === 'set-cookie'),
      [],
      path,
    );
    if (status !== 204) assert.match(headers['content-type'] ?? '', /^application\/json/, path);
  }
});

test('G9 a page of another origin cannot make a browser write with credentials it does not hold', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a']) {
    const headers = {
      'Content-Type': type,
      Origin: 'https://evil.example',
      Cookie: 'token=x',
      Referer: 'https://evil.example',
    };
    await target.expect(403, 'POST', 'secret/data/page', { token: undefined, headers, body: '{"data":{}}' });
  }
  assert.equal(await target.value('secret/data/page'), '<script>alert(1)</script>');
});
