import { expect, test } from 'vitest';
import { between, containing, matching } from './where.ts';

interface Job {
  id: string;
  status: string;
  urgent: boolean;
  createdAt: Date;
}

test('an omitted or null filter adds no condition', () => {
  expect(matching<Job>({ status: undefined, urgent: null, createdAt: between(undefined, null), $or: undefined })).toEqual({});
});

test('a list filter matches any of its values, and an empty list matches nothing', () => {
  expect(matching<Job>({ status: ['open', 'done'] })).toEqual({ status: { $in: ['open', 'done'] } });
  expect(matching<Job>({ status: [] })).toEqual({ status: { $in: [] } });
});

test('a filter with a single value, including false, is an equality condition', () => {
  expect(matching<Job>({ id: 'job_1', urgent: false })).toEqual({ id: 'job_1', urgent: false });
});

test('a filter with $or becomes a where clause with the same alternatives', () => {
  const $or = [{ id: containing('a') }, { status: 'open' }];
  expect(matching<Job>({ $or })).toEqual({ $or });
});

test('a filter by a time range includes the start and excludes the end of the range', () => {
  const [start, end] = [new Date('2026-01-01'), new Date('2026-02-01')];
  expect(matching<Job>({ createdAt: between(start, end) })).toEqual({ createdAt: { $gte: start, $lt: end } });
  expect(between(start, null)).toEqual({ $gte: start });
  expect(between(undefined, end)).toEqual({ $lt: end });
});

test('wildcards in a text filter are escaped', () => {
  expect(containing('50%_\\')).toEqual({ $ilike: '%50\\%\\_\\\\%' });
});
