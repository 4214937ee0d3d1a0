import { pageOf } from '../../../kernel/graphql/page.ts';
import { IntegrationDelivery } from './integration-delivery.entity.ts';

/** The same type for integrations of every kind. */
export const IntegrationDeliveryPage = pageOf('IntegrationDelivery', IntegrationDelivery);
