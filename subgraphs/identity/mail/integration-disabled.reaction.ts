import { z } from 'zod';
import { type Reaction, timestamp } from '../../../kernel/events/events.ts';
import { type MailParts, mailAdministrators } from './administrators.reaction.ts';

/** The part of `integration.disabled` that identity needs. Other fields of the event are ignored. */
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

/** Sends the administrators a mail when the platform has disabled an integration. */
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
          `since ${since} we no longer send updates about your tickets to ${name} (${target}, integration ${id}): ${reasonOf(integration)}`,
          `Updates that were already queued are kept; later ones are not. When the integration works again, or you have set a new address or token, resume it: PUT ${parts.origin}/v1/support/integrations/${kind}/${id} with {"active": true}. Queued updates that are not too old are sent then.`,
        ],
      };
    },
  );

function reasonOf({ disabled_reason: reason, last_error: error }: DisabledIntegration): string {
  const said = error ? ` The last error was: “${error}”.` : '';
  return reason === 'failing' ? `every attempt has failed for five days.${said}` : `it responded with “${reason}”.${said}`;
}
