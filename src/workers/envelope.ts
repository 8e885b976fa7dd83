import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const LABEL = 'keyhold: keys between processes';

/**
 * Puts keys into envelopes for the way between two processes of a server. The channel itself nobody else can read; but what
 * passes through it leaves copies in both memories, which nobody can wipe, and these are no keys.
 */
export class Envelope {
  readonly #key: KeyObject;

  constructor(key: KeyObject) {
    this.#key = key;
  }

  wrap(secret: Buffer): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce);
    return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
  }

  /** The secret, the caller's to wipe. Throws where the envelope is not of the other end. */
  unwrap(wrapped: Uint8Array): Buffer {
    const nonce = wrapped.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(wrapped.subarray(-TAG_BYTES));
    const secret = decipher.update(wrapped.subarray(NONCE_BYTES, -TAG_BYTES));
    decipher.final();
    return secret;
  }
}

/** One end's half of an envelope: X25519 (RFC 7748), then HKDF-SHA-256 (RFC 5869). */
export class EnvelopeHalf {
  readonly #pair = generateKeyPairSync('x25519');

  /** For the other end. */
  get open(): Buffer {
    return this.#pair.publicKey.export({ type: 'spki', format: 'der' });
  }

  with(other: Uint8Array): Envelope {
    const publicKey = createPublicKey({ key: Buffer.from(other), type: 'spki', format: 'der' });
    const shared = diffieHellman({ privateKey: this.#pair.privateKey, publicKey });
    const key = Buffer.from(hkdfSync('sha256', shared, Buffer.alloc(0), LABEL, KEY_BYTES));
    shared.fill(0);
    const envelope = new Envelope(createSecretKey(key));
    key.fill(0);
    return envelope;
  }
}
