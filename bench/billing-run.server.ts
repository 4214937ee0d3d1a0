import { scratchFolder } from './scratch-folder.ts';
import '../apps/production.ts';
import 'reflect-metadata';
import { platformOn } from './platform.ts';

/** A request of bench/billing-run.ts to this process: create organizations, or return the processor time that it has used. */
export type RunQuestion = { organizations: number } | 'cpu';
/** The ids of the new organizations, or the processor time in milliseconds. */
export type RunAnswer = string[] | number;

/** Runs a process of the platform for bench/billing-run.ts. It bills all due subscriptions in its database. */
const { domains } = await platformOn(process.env.BENCH_DATABASE_URL, scratchFolder());

async function answerTo(question: RunQuestion): Promise<RunAnswer> {
  if (question === 'cpu') {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
  const ids: string[] = [];
  while (ids.length < question.organizations)
    ids.push((await domains.identity.createOrganization({ name: 'Bench', plan: 'custom' })).organization.id);
  return ids;
}

process.on('message', (question: RunQuestion) => void answerTo(question).then((answer) => process.send?.(answer)));
process.once('disconnect', () => process.exit(0));
process.send?.([]);
