// Takes in the answer at argv[2], with the token argv[3], without keeping it; prints its status, bytes and milliseconds.
const [, , url = '', token = ''] = process.argv;
const began = performance.now();
const response = await fetch(url, { headers: { 'X-Service-Token': token } });
let bytes = 0;
for await (const piece of response.body ?? []) bytes += piece.length;
console.log(JSON.stringify({ status: response.status, bytes, millis: performance.now() - began }));
