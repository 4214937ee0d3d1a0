import { pageOf } from '../../../kernel/graphql/page.ts';
import { IntegrationDelivery } from './integration-delivery.entity.ts';

/** GraphQL page type of deliveries, shared by all kinds of integrations. */
export const IntegrationDeliveryPage = pageOf('IntegrationDelivery', IntegrationDelivery);
