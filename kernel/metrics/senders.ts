import { MessageRejected } from '../messages/rejected.ts';
import type { Metrics } from './metrics.ts';

/** A `Mailer` or an `SmsSender`. */
interface Sender<M> {
  readonly isSimulated?: boolean;
  send(message: M): Promise<void>;
  close(): Promise<void>;
}

/**
 * Wraps a sender. The metric `messageDuration` records the duration and the outcome of each attempt to send: `sent`,
 * `rejected` or `failed`.
 */
export function measured<M>(kind: 'mail' | 'sms', sender: Sender<M>, { messageDuration }: Pick<Metrics, 'messageDuration'>): Sender<M> {
  const { isSimulated = false } = sender;
  return {
    isSimulated,
    async send(message) {
      const began = performance.now();
      const observe = (outcome: string): void => messageDuration.observe({ kind, outcome }, (performance.now() - began) / 1000);
      try {
        await sender.send(message);
      } catch (error) {
        observe(error instanceof MessageRejected ? 'rejected' : 'failed');
        throw error;
      }
      observe('sent');
    },
    close: () => sender.close(),
  };
}
