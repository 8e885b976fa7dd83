/**
 * The two-sided p of the test of Mann and Whitney: how likely two samples of one distribution are as far apart. By the normal
 * distribution, which is good from about 20 of each on, and corrected for values that are the same.
 */
export function mannWhitney(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((value) => ({ value, first: true })), ...b.map((value) => ({ value, first: false }))];
  all.sort((one, other) => one.value - other.value);
  const n = all.length;
  let rankSum = 0;
  let ties = 0;
  for (let from = 0; from < n; ) {
    let to = from;
    while (to < n && all[to]?.value === all[from]?.value) to++;
    const same = to - from;
    const rank = (from + 1 + to) / 2;
    rankSum += rank * all.slice(from, to).filter(({ first }) => first).length;
    ties += same ** 3 - same;
    from = to;
  }
  const u = rankSum - (a.length * (a.length + 1)) / 2;
  const variance = ((a.length * b.length) / 12) * (n + 1 - ties / (n * (n - 1)));
  if (variance === 0) return 1;
  return 2 * tail(Math.abs(u - (a.length * b.length) / 2) / Math.sqrt(variance));
}

/** The share of the normal distribution beyond `z` ≥ 0 (Abramowitz and Stegun, 26.2.17; error below 10⁻⁷). */
function tail(z: number): number {
  const t = 1 / (1 + 0.231_641_9 * z);
  const series = [0.319_381_53, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
  const sum = series.reduceRight((rest, coefficient) => (rest + coefficient) * t, 0);
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * sum;
}
