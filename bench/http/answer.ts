/** The static answer both servers give, 250 bytes of JSON: what the load generator's set-up and health workload look for. */
export const ANSWER: string = ((): string => {
  const fields = { initialized: true, sealed: false, auth: { client_token: 's.static' }, filler: '' };
  const length = JSON.stringify(fields).length;
  return JSON.stringify({ ...fields, filler: 'x'.repeat(250 - length) });
})();
