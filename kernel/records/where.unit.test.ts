import { expect, test } from 'vitest';
import { between, containing, matching } from './where.ts';

interface Job {
  id: string;
  status: string;
  urgent: boolean;
  createdAt: Date;
}

test('what was left out, or is null, asks nothing', () => {
  expect(matching<Job>({ status: undefined, urgent: null, createdAt: between(undefined, null), $or: undefined })).toEqual({});
});

test('a list asks for any of its values, an empty one for none', () => {
  expect(matching<Job>({ status: ['open', 'done'] })).toEqual({ status: { $in: ['open', 'done'] } });
  expect(matching<Job>({ status: [] })).toEqual({ status: { $in: [] } });
});

test('a value asks for itself, false too', () => {
  expect(matching<Job>({ id: 'job_1', urgent: false })).toEqual({ id: 'job_1', urgent: false });
});

test('alternatives stay as they are', () => {
  const $or = [{ id: containing('a') }, { status: 'open' }];
  expect(matching<Job>({ $or })).toEqual({ $or });
});

test('a time span holds its start and not its end', () => {
  const [start, end] = [new Date('2026-01-01'), new Date('2026-02-01')];
  expect(matching<Job>({ createdAt: between(start, end) })).toEqual({ createdAt: { $gte: start, $lt: end } });
  expect(between(start, null)).toEqual({ $gte: start });
  expect(between(undefined, end)).toEqual({ $lt: end });
});

test('a text that is looked for holds no wildcards', () => {
  expect(containing('50%_\\')).toEqual({ $ilike: '%50\\%\\_\\\\%' });
});
