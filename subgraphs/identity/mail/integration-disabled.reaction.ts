import { z } from 'zod';
import { type Reaction, timestamp } from '../../../kernel/events/events.ts';
import { type MailParts, mailAdministrators } from './administrators.reaction.ts';

/** What identity reads of `integration.disabled`; the event may carry more, and may come to carry more. */
const disabled = z.object({
  data: z.object({
    integration: z.object({
      id: z.string(),
      kind: z.string(),
      target: z.string(),
      disabled_at: timestamp,
      disabled_reason: z.string(),
      last_error: z.string().nullable(),
    }),
  }),
});
type DisabledIntegration = z.infer<typeof disabled>['data']['integration'];

const KINDS: ReadonlyMap<string, string> = new Map([
  ['slack', 'Slack'],
  ['jira', 'Jira'],
]);

/** Tells that the platform stopped using an integration. */
export const integrationDisabled = (parts: MailParts): Reaction =>
  mailAdministrators(
    parts,
    { name: 'identity.integration-disabled', on: 'integration.disabled', shape: disabled },
    ({ data: { integration } }) => {
      const { id, kind, target, disabled_at: since } = integration;
      const name = KINDS.get(kind) ?? kind;
      return {
        subject: `The integration with ${name} was disabled`,
        paragraphs: [
          `we no longer tell ${name} (${target}, integration ${id}) what happens to your tickets, since ${since}: ${reasonOf(integration)}`,
          `What waits for it is kept, and what comes meanwhile is not. When it works again, or has a new address or token, resume it: PUT ${parts.origin}/v1/support/integrations/${kind}/${id} with {"active": true}. What waits, and is not too old, is sent then.`,
        ],
      };
    },
  );

function reasonOf({ disabled_reason: reason, last_error: error }: DisabledIntegration): string {
  const said = error ? ` Last we heard: “${error}”.` : '';
  return reason === 'failing' ? `nothing has got through for five days.${said}` : `it said ${reason}.${said}`;
}
