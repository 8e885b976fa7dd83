import { isIP, isIPv4 } from 'node:net';

/** Where a server listens. */
export interface Address {
  /** A name or an IP address, without brackets. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** `HOST:PORT`, an IPv6 address in brackets (RFC 3986 §3.2.2). Undefined where it is none. */
export function parseAddress(text: string): Address | undefined {
  const colon = text.lastIndexOf(':');
  const digits = text.slice(colon + 1);
  if (colon < 1 || !/^[0-9]{1,5}$/.test(digits) || Number(digits) > 65_535) return undefined;
  const host = hostOf(text.slice(0, colon));
  return host === undefined ? undefined : { host, port: Number(digits) };
}

function hostOf(text: string): string | undefined {
  if (text.startsWith('[') && text.endsWith(']')) {
    const inner = text.slice(1, -1);
    return isIP(inner) === 6 ? inner : undefined;
  }
  const plausible = text.length <= 253 && /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(text);
  // A text of digits and dots is an IPv4 address or nothing: the resolver would read "127.1" in ways of its own.
  if (!plausible || (/^[0-9.]+$/.test(text) && !isIPv4(text))) return undefined;
  return text;
}

/** Whether only this machine can reach the host: 127.0.0.0/8, ::1 or the name localhost. */
export function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.');
  return host === '::1' || host.toLowerCase() === 'localhost';
}
