import type { Subcategory } from './category.values.ts';
import type { CategoryId } from './category-ids.ts';

interface CategoryDefault {
  name: string;
  description: string;
  subcategories: Subcategory[];
}

/**
 * Returns a subcategory whose tickets are assigned to the least busy agent of the category. Unresolved tickets are
 * escalated after the time `escalationThreshold`, if it is set.
 */
const assigned = (id: string, name: string, escalationThreshold: string | null = null): Subcategory => ({
  id,
  name,
  routingRules: { autoAssign: true, escalationThreshold },
});
/** Returns a subcategory whose tickets stay with the desk agent of the category until a person takes them. */
const forDesk = (id: string, name: string): Subcategory => ({ id, name, routingRules: { autoAssign: false, escalationThreshold: null } });

/** The default categories of the platform. */
export const CATEGORY_DEFAULTS: Readonly<Record<CategoryId, CategoryDefault>> = {
  general: {
    name: 'General',
    description: 'Anything that fits nowhere else.',
    subcategories: [assigned('question', 'Question'), assigned('feature_request', 'Feature request'), forDesk('complaint', 'Complaint')],
  },
  connectivity: {
    name: 'Connectivity',
    description: 'Internet access, networks and everything that carries them.',
    subcategories: [
      assigned('outage', 'Outage', '2 hours'),
      assigned('slow_speed', 'Slow speed'),
      assigned('latency', 'Latency and packet loss'),
      assigned('installation', 'Installation and moves'),
      assigned('equipment', 'Modem and router'),
    ],
  },
  voice: {
    name: 'Voice',
    description: 'Telephony, numbers and contact centers.',
    subcategories: [
      assigned('no_dial_tone', 'No dial tone', '2 hours'),
      assigned('call_quality', 'Call quality'),
      assigned('number_porting', 'Number porting'),
      assigned('call_routing', 'Call routing'),
      assigned('contact_center', 'Contact center'),
    ],
  },
  cloud: {
    name: 'Cloud',
    description: 'Virtual machines, storage and what runs on them.',
    subcategories: [
      assigned('instance_down', 'Instance down', '2 hours'),
      assigned('performance', 'Performance'),
      assigned('storage', 'Storage'),
      assigned('backup', 'Backup and restore'),
      assigned('migration', 'Migration'),
    ],
  },
  security: {
    name: 'Security',
    description: 'Incidents, firewalls and access.',
    subcategories: [
      assigned('incident', 'Security incident', '30 minutes'),
      assigned('phishing', 'Phishing'),
      assigned('firewall', 'Firewall rules'),
      assigned('certificate', 'Certificates'),
      forDesk('compliance', 'Compliance request'),
    ],
  },
  ai: {
    name: 'AI',
    description: 'Models, automation and the platform that they run on.',
    subcategories: [
      assigned('model_deployment', 'Model deployment'),
      assigned('prediction_quality', 'Quality of predictions'),
      assigned('automation', 'Automation'),
      assigned('training', 'Training'),
    ],
  },
  billing: {
    name: 'Billing',
    description: 'Invoices, payments and prices.',
    subcategories: [
      assigned('invoice_question', 'Question about an invoice'),
      assigned('payment_failed', 'Failed payment'),
      forDesk('refund', 'Refund'),
      forDesk('dispute', 'Dispute'),
    ],
  },
  account: {
    name: 'Account',
    description: 'Users, access and contracts.',
    subcategories: [
      assigned('access', 'Access and passwords', '4 hours'),
      assigned('user_management', 'Users and roles'),
      assigned('contract_change', 'Contract change'),
      forDesk('closure', 'Account closure'),
    ],
  },
};
