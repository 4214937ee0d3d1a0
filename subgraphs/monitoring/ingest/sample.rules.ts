import { isSecretName, redactText } from '../../../kernel/log/redaction.ts';
import { MINUTE_MS } from '../../../kernel/values/days.ts';
import { isStorable } from '../../../kernel/values/text.ts';
import { type Refusal, refusal } from '../samples/refusals.ts';
import type { Labels } from '../series/series.ts';

/** Maximum number of samples in a request. */
export const MAX_SAMPLES = 5_000;
/** Maximum age of a sample, and maximum time by which a sample may be in the future. */
export const MAX_AGE_MS = 60 * MINUTE_MS;
export const MAX_AHEAD_MS = 5 * MINUTE_MS;

export const METRIC_NAME = /^[A-Za-z_][\w.:/-]{0,199}$/;
const LABEL_NAME = /^[A-Za-z_][\w.-]{0,63}$/;
/** Maximum number of labels of a series. */
export const MAX_LABELS = 16;
/** Maximum length of units. */
export const TEXT_LENGTH = 64;
const LABEL_LENGTH = 256;

/** Returns the problem of the time of a sample. `at` and `now` are in milliseconds since 1970. */
export function timeProblem(at: number, now: number): Refusal | undefined {
  if (at < now - MAX_AGE_MS) return refusal('too_old');
  return at > now + MAX_AHEAD_MS ? refusal('in_future') : undefined;
}

export const isLabelName = (name: string): boolean => LABEL_NAME.test(name);

/** Returns the problem of the labels of a sample. */
export function labelProblem(labels: Labels): Refusal | undefined {
  const entries = Object.entries(labels);
  if (entries.length > MAX_LABELS) return refusal('invalid_labels', `labels must have at most ${MAX_LABELS} entries`);
  for (const [name, value] of entries) {
    if (!LABEL_NAME.test(name))
      return refusal('invalid_labels', 'the name of a label must have 1 to 64 letters, digits, _, . or -, and begin with a letter or _');
    if (typeof value !== 'string' || value.length > LABEL_LENGTH || !isStorable(value))
      return refusal('invalid_labels', `labels.${name} must be a text of at most ${LABEL_LENGTH} characters`);
  }
  return undefined;
}

/**
 * Returns a problem if labels seem to contain a secret, because everyone who may read the metric sees its labels. The check is slow, so
 * only the labels of new series are checked.
 */
export function secretProblem(labels: Labels): Refusal | undefined {
  const found = Object.entries(labels).find(([name, value]) => isSecretName(name) || redactText(value) !== value);
  return found && refusal('secret_label', `labels.${found[0]} looks like a secret, such as a key, a token or a card number`);
}
