import { pageOf } from '../../../kernel/graphql/page.ts';
import { IntegrationDelivery } from './integration-delivery.entity.ts';

/** GraphQL type for a page of deliveries. All kinds of integrations use it. */
export const IntegrationDeliveryPage = pageOf('IntegrationDelivery', IntegrationDelivery);
