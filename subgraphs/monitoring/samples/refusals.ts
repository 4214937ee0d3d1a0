/** Reasons why a sample is refused, by code. The other samples of the request are stored. */
export const REFUSALS = {
  invalid_sample: 'The sample or a field of it is not valid.',
  invalid_metric: 'The name of the metric is not valid.',
  reserved_metric: 'Only the platform writes samples of this metric.',
  invalid_labels: 'The labels are not valid.',
  secret_label: 'A label looks like a secret.',
  invalid_value: 'The value is not a number, or too large.',
  invalid_time: 'The time is not a valid timestamp.',
  too_old: 'The sample is older than an hour.',
  in_future: 'The sample is more than five minutes in the future.',
  conflict: 'The series has another value at this time.',
  conflicting_type: 'The metric has another type.',
  service_not_found: 'The service does not exist.',
  service_required: 'Callers that are limited to accounts must name a service.',
  too_many_series: 'The organization has as many active series as its plan allows.',
} as const;

export type RefusalCode = keyof typeof REFUSALS;

/** The reason why a sample was refused. */
export interface Refusal {
  code: RefusalCode;
  reason: string;
}

/** Creates a refusal. Default of `reason`: the general text of the code. */
export const refusal = (code: RefusalCode, reason: string = REFUSALS[code]): Refusal => ({ code, reason });

export const isRefusal = (value: object): value is Refusal => 'code' in value;
