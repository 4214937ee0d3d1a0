import { Migration } from '@mikro-orm/migrations';
import type { Tables } from './database.ts';

/**
 * One step of a schema's history, as SQL. Once released a step never changes; a later one follows it. `npm run migration --
 * <subgraph>` prints the statements that the entities need beyond the steps so far.
 */
export function migration(name: string, statements: readonly string[]): Tables['migrations'][number] {
  const Step = class extends Migration {
    override up(): void {
      for (const statement of statements) this.addSql(statement);
    }
  };
  return { name, statements, class: Step };
}
