import assert from 'node:assert/strict';
import { query } from './cluster.ts';

/** The records of a store as whoever has the database sees and changes them. */
export class Table {
  readonly #url: string;
  readonly #name: string;

  constructor(url: string, schema: string) {
    this.#url = url;
    this.#name = `${schema}.records`;
  }

  /** `$T` stands for the table. */
  async sql(text: string, ...values: unknown[]): Promise<readonly unknown[][]> {
    return query(this.#url, text.replaceAll('$T', this.#name), values);
  }

  async keys(prefix: string): Promise<readonly string[]> {
    const rows = await this.sql(
      "SELECT convert_from(key, 'UTF8') FROM $T WHERE starts_with(convert_from(key, 'UTF8'), $1)",
      prefix,
    );
    return rows.map(([key]) => String(key));
  }

  /** How many records lie under a folder. */
  async count(folder: string): Promise<number> {
    const end = `${folder.slice(0, -1)}0`;
    const [row] = await this.sql(
      "SELECT count(*) FROM $T WHERE key >= convert_to($1, 'UTF8') AND key < convert_to($2, 'UTF8')",
      folder,
      end,
    );
    return Number(row?.[0]);
  }

  async value(key: string): Promise<Buffer> {
    const [row] = await this.sql("SELECT value FROM $T WHERE key = convert_to($1, 'UTF8')", key);
    const value = row?.[0];
    assert.ok(Buffer.isBuffer(value), key);
    return value;
  }

  async replace(key: string, value: Buffer): Promise<void> {
    await this.sql("UPDATE $T SET value = $2 WHERE key = convert_to($1, 'UTF8')", key, value);
  }

  /** Changes one bit somewhere. */
  async flip(key: string): Promise<void> {
    const value = Buffer.from(await this.value(key));
    const place = Math.floor(Math.random() * value.length);
    value.writeUInt8(value.readUInt8(place) ^ (1 << (place % 8)), place);
    await this.replace(key, value);
  }

  async swap(one: string, other: string): Promise<void> {
    const [first, second] = [await this.value(one), await this.value(other)];
    await this.replace(one, second);
    await this.replace(other, first);
  }
}
