import { beforeAll, expect, test } from 'vitest';
import { rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

const platform = await rig();

/** An example knowledge base of a provider's support team. Each entry has: key, title, summary, tags, body. */
const CORPUS: [string, string, string, string[], string][] = [
  [
    'slow',
    'Slow internet',
    'How to find out why a line is slower than ordered.',
    ['speed'],
    'Measure over a cable first. Wireless is often the reason.',
  ],
  [
    'down',
    'The internet does not work',
    'Check modem and cables.',
    ['outage'],
    'Internet internet internet. If the internet is down restart the modem. A slow start of the modem is normal.',
  ],
  [
    'wifi',
    'Improve your wireless network',
    'Channels, bands and the place of the access point.',
    ['wifi', 'wlan'],
    'Walls make wireless slow. Put the access point high. The internet connection itself is rarely the reason.',
  ],
  [
    'router',
    'Restart the router',
    'Switch it off for a minute.',
    ['router', 'reboot'],
    'Unplug the router, wait, plug it in. The internet is back after five minutes.',
  ],
  [
    'firmware',
    'Update the firmware of your router',
    'Security fixes for the device.',
    ['router', 'firmware'],
    'Open the page of the router and choose update. Do not restart it meanwhile.',
  ],
  [
    'invoice',
    'How to read your invoice',
    'Each line of a bill explained.',
    ['billing'],
    'The invoice lists internet, telephone and cloud. Overage is billed a month later.',
  ],
  [
    'pay',
    'Pay an invoice by card',
    'Cards and direct debit.',
    ['billing', 'payment'],
    'Choose the invoice and pay. A payment takes a day to show.',
  ],
  [
    'late',
    'What happens when an invoice is paid late',
    'Reminders, fees and suspension.',
    ['billing'],
    'After 14 days a reminder is sent. After 30 days the service is suspended.',
  ],
  [
    'password',
    'Reset your password',
    'A link by e-mail.',
    ['login', 'account'],
    'Choose "forgot password". The link is valid for an hour. Check the spam folder.',
  ],
  [
    'mfa',
    'Set up two-factor authentication',
    'An app or a text message as a second factor.',
    ['login', 'security'],
    'Your password alone is not enough after this. Scan the code with an app.',
  ],
  [
    'mail',
    'E-mail is not delivered',
    'Spam filters, bounces and DNS records.',
    ['smtp', 'dns'],
    'Look at the bounce message. SPF and DKIM are records of your domain.',
  ],
  [
    'dns',
    'Change DNS records of a domain',
    'A, MX, TXT and how long it takes.',
    ['dns'],
    'Changes of DNS take up to an hour. Mail needs MX.',
  ],
  [
    'voip',
    'Calls sound choppy',
    'Jitter and packet loss of internet telephony.',
    ['voip', 'voice'],
    'A slow upload makes voice choppy. Reserve bandwidth for the phone.',
  ],
  [
    'port',
    'Keep your phone number when you move',
    'Porting takes ten days.',
    ['voice'],
    'Send the signed form. The number stays active until it is moved.',
  ],
  [
    'backup',
    'Restore a backup of a virtual machine',
    'Snapshots and files.',
    ['cloud'],
    'Choose a snapshot and restore it. Backups are kept for 30 days.',
  ],
  [
    'outage',
    'Planned maintenance and outages',
    'Where we announce them.',
    ['status'],
    'Subscribe to the status page. Internet, voice and cloud are listed there.',
  ],
];

/** Typical searches and the key of the article that must come first. The expectations come from the titles only. */
const QUERIES: [string, string][] = [
  ['slow internet', 'slow'],
  ['internet slow', 'slow'],
  ['my internet is very slow', 'slow'],
  ['why is the internet so slow today', 'slow'],
  ['internet', 'down'],
  ['internet does not work', 'down'],
  ['internet not working at home', 'down'],
  ['wireless', 'wifi'],
  ['improve wireless network', 'wifi'],
  ['restart router', 'router'],
  ['how do I restart my router', 'router'],
  ['router firmware update', 'firmware'],
  ['updating firmware', 'firmware'],
  ['read invoice', 'invoice'],
  ['pay invoice', 'pay'],
  ['paying invoices with a credit card', 'pay'],
  ['invoice paid late', 'late'],
  ['reset password', 'password'],
  ['how can I reset a forgotten password', 'password'],
  ['two-factor authentication', 'mfa'],
  ['two factor', 'mfa'],
  ['email not delivered', 'mail'],
  ['e-mail', 'mail'],
  ['dns records', 'dns'],
  ['change dns', 'dns'],
  ['choppy calls', 'voip'],
  ['keep phone number', 'port'],
  ['restore backup', 'backup'],
  ['restoring a backup of my server', 'backup'],
  ['planned maintenance', 'outage'],
  ['slow internt', 'slow'],
  ['slwo internet', 'slow'],
  ['restart ruoter', 'router'],
  ['passwort reset', 'password'],
];

let tenant: Tenant;
const keys = new Map<string, string>();
beforeAll(async () => {
  tenant = await platform.organization({ plan: 'custom' });
  for (const [key, title, summary, tags, body] of CORPUS) {
    const sent = { title, summary, tags, body, category: 'general', status: 'published' };
    const response = await tenant.rest('POST', '/support/kb', { body: sent });
    keys.set(response.body.data.id, key);
  }
});

const search = async (q: string): Promise<Json[]> => (await tenant.rest('GET', `/support/knowledge?q=${encodeURIComponent(q)}`)).body.data;

test.each(QUERIES)(`in a knowledge search for "%s", the first of the organization's own articles is "%s"`, async (q, expected) => {
  const found = await search(q);
  const own = found.filter((hit) => keys.has(hit.article_id));
  const seen = own.map((hit) => `${keys.get(hit.article_id)} ${hit.rank.toFixed(4)} ${hit.match}`);
  expect(keys.get(own[0]?.article_id), seen.join(', ')).toBe(expected);
});

test.each([
  ['slow internet', 'art_slow_connection'],
  ['my internet is slow', 'art_slow_connection'],
  ['internet down', 'art_internet_is_down'],
  ['reset password', 'art_faq_forgot_password'],
  ['verify webhook signature', 'art_verify_webhook_signatures'],
  ['rate limit', 'art_rate_limits'],
  ['rotate key', 'art_rotate_an_api_key'],
  ['dns problem', 'art_dns_problems'],
  ['invite a user', 'art_faq_invite_user'],
])('the first result of a knowledge search for "%s" is the platform article "%s"', async (q, expected) => {
  const other = await platform.organization({ plan: 'custom' });
  const { body } = await other.rest('GET', `/support/knowledge?q=${encodeURIComponent(q)}`);
  expect(body.data[0]?.article_id, body.data.map((hit: Json) => `${hit.article_id} ${hit.rank.toFixed(4)} ${hit.match}`).join(', ')).toBe(
    expected,
  );
});
