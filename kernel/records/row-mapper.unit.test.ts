import type { EntityMetadata, Platform } from '@mikro-orm/core';
import { expect, test } from 'vitest';
import { RowMapper } from './row-mapper.ts';

class Parcel {
  id!: string;
  sentAt!: Date | null;
  tags!: unknown;
  get isSent(): boolean {
    return this.sentAt !== null;
  }
}

const metadata = {
  class: Parcel,
  props: [
    { name: 'id', fieldNames: ['id'], type: 'string' },
    { name: 'sentAt', fieldNames: ['sent_at'], type: 'datetime', runtimeType: 'Date' },
    { name: 'tags', fieldNames: ['tags'], type: 'json' },
  ],
} as unknown as EntityMetadata<Parcel>;
const mapper = new RowMapper(metadata, {} as Platform);

test('a row mapper creates a record of the class from columns at any offset in the row', () => {
  const parcel = mapper.read(['before', 'parcel_1', null, ['a']], 1);
  expect(parcel).toBeInstanceOf(Parcel);
  expect({ ...parcel }).toEqual({ id: 'parcel_1', sentAt: null, tags: ['a'] });
  expect(parcel.isSent).toBe(false);
  expect(mapper.columns('p')).toBe('p."id", p."sent_at", p."tags"');
});

test('a row mapper returns null for a joined table that has no matching row', () => {
  expect(mapper.readJoined([null, null, null], 0)).toBeNull();
  expect(mapper.readJoined(['parcel_1', null, null], 0)).toMatchObject({ id: 'parcel_1' });
});

test.each([
  ['2026-01-31 09:30:00.125+00', '2026-01-31T09:30:00.125Z'],
  ['2026-01-31 09:30:00.12+00', '2026-01-31T09:30:00.120Z'],
  ['2026-01-31 09:30:00+00', '2026-01-31T09:30:00.000Z'],
  ['2026-12-31 23:59:59.999+00', '2026-12-31T23:59:59.999Z'],
  ['2024-02-29 00:00:00.001+00', '2024-02-29T00:00:00.001Z'],
  ['2026-01-31T09:30:00.125+02:00', '2026-01-31T07:30:00.125Z'],
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['1999-01-31 09:30:00.125+00', '1999-01-31T09:30:00.125Z'],
  ['0150-01-31 09:30:00.125+00', '0150-01-31T09:30:00.125Z'],
])('a row mapper reads the timestamp %s as the instant %s', (text, instant) => {
  expect(mapper.read(['parcel_1', text, null]).sentAt?.toISOString()).toBe(instant);
});

test('a row mapper for some fields selects only these columns, and reading another field of the record throws an error', () => {
  const part = new RowMapper(metadata, {} as Platform, new Set(['id', 'tags']));
  expect(part.columns('p')).toBe('p."id", p."tags"');
  const parcel = part.read(['parcel_1', ['a']]);
  expect({ ...parcel }).toEqual({ id: 'parcel_1', tags: ['a'] });
  expect(() => parcel.sentAt).toThrow('sentAt was not read');
  expect(() => parcel.isSent).toThrow('sentAt was not read');
});
