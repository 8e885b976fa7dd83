/** Loaded before a program, sets its time of day wrong by CLOCK_SHIFT_MILLIS; what counts monotonic time stays right. */
const shift = Number(process.env['CLOCK_SHIFT_MILLIS'] ?? 0);
const right = Date;
const now = (): number => right.now() + shift;

globalThis.Date = new Proxy(right, {
  construct: (target, args) => Reflect.construct(target, args.length === 0 ? [now()] : args),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
