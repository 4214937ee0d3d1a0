import { expect, test } from 'vitest';
import { serviceThatIs, tenantWithAccount } from '../services.setup.ts';

// an operation that is repeated is compiled, and compiled operations cannot wait for the type of a value
test('a query of a field with a union type returns the same result when it is repeated', async () => {
  const { tenant, accountId } = await tenantWithAccount();
  const { id } = await serviceThatIs('operational', tenant, accountId);
  const query = 'query ($id: ID!) { service(id: $id) { detail { ... on InternetLine { id technology } } } }';
  for (let count = 0; count < 5; count += 1) {
    const { data, errors } = await tenant.graphql(query, { id });
    expect([data, errors]).toEqual([{ service: { detail: { id, technology: 'FIBER' } } }, undefined]);
  }
});
