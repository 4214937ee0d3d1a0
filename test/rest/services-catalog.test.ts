import { beforeAll, describe, expect, test } from 'vitest';
import { rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await (await rig()).organization();
});

const servicesOf = (body: Json): Json[] => body.data.categories.flatMap(({ services }: Json) => services);

describe('service catalog', () => {
  test('the service catalog lists its five categories in a fixed order, each with its services', async () => {
    const { status, body } = await tenant.rest('GET', '/services/catalog');
    expect(status).toBe(200);
    expect(body.data.categories.map(({ name }: Json) => name)).toEqual(['connectivity', 'voice', 'cloud', 'security', 'ai']);
    for (const { services } of body.data.categories) expect(services.length).toBeGreaterThan(0);
  });

  test('each service in the catalog has its description, options and prices', async () => {
    const { body } = await tenant.rest('GET', '/services/catalog');
    const [fiber] = servicesOf(body);
    expect(fiber).toMatchObject({
      id: 'business_fiber',
      name: 'Business Fiber',
      description: expect.any(String),
      sla_options: ['standard', 'business', 'enterprise'],
      pricing: { starting_price: 89, unit: 'month', currency: 'USD' },
    });
    expect(fiber.bandwidth_options).toContain('1000mbps');
    expect(fiber.pricing.bandwidth_prices).toContainEqual({ bandwidth: '1000mbps', monthly_price: 299 });
    expect(fiber.pricing.sla_uplifts).toContainEqual({ sla: 'enterprise', percent: 35, uptime_percentage: 99.99 });
  });

  test('each service in the catalog states whether it can be ordered, its service type and its features', async () => {
    const services = servicesOf((await tenant.rest('GET', '/services/catalog')).body);
    expect(services.slice(0, 6).map(({ id, service_type }) => [id, service_type])).toEqual([
      ['business_fiber', 'fiber'],
      ['business_cable', 'cable'],
      ['fixed_wireless_access', 'fixed_wireless'],
      ['business_dsl', 'dsl'],
      ['mpls_network', 'mpls'],
      ['sd_wan', 'sd_wan'],
    ]);
    expect(services.slice(0, 4).map(({ orderable }) => orderable)).toEqual([true, true, true, true]);
    expect(services.find(({ id }) => id === 'multi_cloud')).toMatchObject({ orderable: false, service_type: null, features: [] });
    const [fiber, , , , mpls] = services;
    expect(fiber?.features.map(({ name, monthly_price, needs }: Json) => [name, monthly_price, needs])).toEqual([
      ['static_ip', 15, []],
      ['managed_router', 25, []],
      ['ddos_protection', 49, ['static_ip']],
      ['priority_repair', 35, []],
    ]);
    expect(mpls?.features).toContainEqual({
      name: 'encryption',
      description: expect.any(String),
      monthly_price: 15,
      per_unit: true,
      needs: [],
    });
  });

  test('the starting price of a catalog service is its lowest listed price', async () => {
    for (const { pricing } of servicesOf((await tenant.rest('GET', '/services/catalog')).body)) {
      const prices = pricing.bandwidth_prices.map(({ monthly_price }: Json) => monthly_price);
      if (prices.length > 0) expect(pricing.starting_price).toBe(Math.min(...prices));
      expect(pricing.sla_uplifts[0].percent).toBe(0);
    }
  });

  test('GET /services/catalog/{category} returns only the services of this category', async () => {
    const { body } = await tenant.rest('GET', '/services/catalog/security');
    expect(body.data.categories).toHaveLength(1);
    expect(servicesOf(body).map(({ id }: Json) => id)).toEqual(['managed_soc', 'managed_firewall', 'ddos_protection']);
  });

  test('reading an unknown catalog category returns 404 RESOURCE_NOT_FOUND', async () => {
    const { status, body } = await tenant.rest('GET', '/services/catalog/gardening');
    expect(status).toBe(404);
    expect(body.error).toMatchObject({ code: 'RESOURCE_NOT_FOUND', details: { resource: 'catalog_category', id: 'gardening' } });
  });

  test('reading the service catalog without services:read returns 403 INSUFFICIENT_PERMISSIONS', async () => {
    const limited = await tenant.limitedTo('billing:read');
    const { status, body } = await limited.rest('GET', '/services/catalog');
    expect(status).toBe(403);
    expect(body.error).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'services:read' } });
  });
});
