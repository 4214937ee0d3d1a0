import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Initial coverage. Columns: ZIP prefix, city, state, and the maximum bandwidth in megabits per second for fiber,
 * cable, fixed wireless and DSL. The bandwidth is null if the technology is not available.
 */
const AREAS = `
  ('100', 'New York', 'NY', 10000, 1000, 300, 100), ('101', 'New York', 'NY', 10000, 1000, 300, 100), ('104', 'Bronx', 'NY', 5000, 1000, 300, 100),
  ('111', 'Long Island City', 'NY', 10000, 1000, 300, 100), ('112', 'Brooklyn', 'NY', 10000, 1000, 300, 100), ('142', 'Buffalo', 'NY', 2000, 1000, 100, 50),
  ('073', 'Jersey City', 'NJ', 5000, 1000, 300, 100), ('061', 'Hartford', 'CT', 2000, 1000, null, 50), ('029', 'Providence', 'RI', 2000, 1000, null, 50),
  ('021', 'Boston', 'MA', 10000, 1000, 300, 100), ('191', 'Philadelphia', 'PA', 5000, 1000, 300, 100), ('152', 'Pittsburgh', 'PA', 2000, 1000, 100, 50),
  ('212', 'Baltimore', 'MD', 2000, 1000, 100, 50), ('200', 'Washington', 'DC', 10000, 1000, 300, 100), ('232', 'Richmond', 'VA', 2000, 1000, null, 50),
  ('276', 'Raleigh', 'NC', 5000, 1000, 100, 50), ('282', 'Charlotte', 'NC', 5000, 1000, 100, 50), ('303', 'Atlanta', 'GA', 10000, 1000, 300, 100),
  ('322', 'Jacksonville', 'FL', 2000, 1000, 100, 50), ('328', 'Orlando', 'FL', 2000, 1000, 100, 50), ('331', 'Miami', 'FL', 5000, 1000, 300, 100),
  ('336', 'Tampa', 'FL', 2000, 1000, 100, 50), ('33040', 'Key West', 'FL', null, 500, null, null), ('372', 'Nashville', 'TN', 5000, 1000, 100, 50),
  ('381', 'Memphis', 'TN', 1000, 1000, 100, 50), ('402', 'Louisville', 'KY', 2000, 1000, null, 50), ('432', 'Columbus', 'OH', 5000, 1000, 100, 50),
  ('441', 'Cleveland', 'OH', 2000, 1000, 100, 50), ('452', 'Cincinnati', 'OH', 2000, 1000, 100, 50), ('462', 'Indianapolis', 'IN', 2000, 1000, 100, 50),
  ('482', 'Detroit', 'MI', 2000, 1000, 100, 50), ('532', 'Milwaukee', 'WI', 2000, 1000, 100, 50), ('554', 'Minneapolis', 'MN', 5000, 1000, 300, 50),
  ('606', 'Chicago', 'IL', 10000, 1000, 300, 100), ('631', 'St. Louis', 'MO', 2000, 1000, 100, 50), ('641', 'Kansas City', 'MO', 10000, 1000, 100, 50),
  ('701', 'New Orleans', 'LA', 1000, 1000, 100, 50), ('731', 'Oklahoma City', 'OK', 2000, 1000, 100, 50), ('752', 'Dallas', 'TX', 10000, 1000, 300, 100),
  ('770', 'Houston', 'TX', 5000, 1000, 300, 100), ('782', 'San Antonio', 'TX', 2000, 1000, 100, 50), ('787', 'Austin', 'TX', 10000, 1000, 300, 100),
  ('802', 'Denver', 'CO', 10000, 1000, 300, 100), ('841', 'Salt Lake City', 'UT', 10000, 1000, 300, 50), ('850', 'Phoenix', 'AZ', 5000, 1000, 300, 50),
  ('871', 'Albuquerque', 'NM', 1000, 1000, 100, 25), ('891', 'Las Vegas', 'NV', 5000, 1000, 300, 50), ('837', 'Boise', 'ID', 2000, 1000, 300, 50),
  ('900', 'Los Angeles', 'CA', 10000, 1000, 300, 100), ('921', 'San Diego', 'CA', 5000, 1000, 300, 50), ('941', 'San Francisco', 'CA', 10000, 1000, 300, 100),
  ('946', 'Oakland', 'CA', 10000, 1000, 300, 100), ('951', 'San Jose', 'CA', 10000, 1000, 300, 100), ('958', 'Sacramento', 'CA', 5000, 1000, 300, 50),
  ('972', 'Portland', 'OR', 5000, 1000, 300, 50), ('981', 'Seattle', 'WA', 10000, 1000, 300, 100), ('968', 'Honolulu', 'HI', 1000, 500, null, 25),
  ('598', 'Missoula', 'MT', null, 500, 300, 25), ('826', 'Casper', 'WY', null, 300, 100, 50), ('593', 'Miles City', 'MT', null, null, 100, 25),
  ('995', 'Anchorage', 'AK', 1000, 500, 100, 25), ('99723', 'Utqiagvik', 'AK', null, null, null, null)`;

export const coverage = migration('0003-coverage', [
  `create table "services"."coverage_area" ("zip_prefix" text primary key, "city" text not null, "state" text not null)`,
  `create table "services"."coverage_technology" (
     "zip_prefix" text not null,
     "technology" text not null,
     "max_mbps" int not null,
     primary key ("zip_prefix", "technology")
   )`,
  `alter table "services"."coverage_technology" add constraint "coverage_technology_technology_check" check ("technology" in ('fiber', 'cable', 'fixed_wireless', 'dsl'))`,
  `with seed("zip_prefix", "city", "state", "fiber", "cable", "fixed_wireless", "dsl") as (values ${AREAS}
   ), area as (
     insert into "services"."coverage_area" ("zip_prefix", "city", "state") select "zip_prefix", "city", "state" from seed
   )
   insert into "services"."coverage_technology" ("zip_prefix", "technology", "max_mbps")
     select "zip_prefix", t."technology", t."max_mbps" from seed
     cross join lateral (values ('fiber', "fiber"), ('cable', "cable"), ('fixed_wireless', "fixed_wireless"), ('dsl', "dsl")) as t("technology", "max_mbps")
     where t."max_mbps" is not null`,
]);
