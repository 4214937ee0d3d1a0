import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Position of the initial coverage areas. Columns: ZIP prefix, longitude and latitude of the center, and half of the
 * width and of the height, all in degrees. They were estimated from the positions and sizes of the cities.
 */
const CENTERS = `
  ('100', -73.990, 40.725, 0.030, 0.022), ('101', -73.980, 40.765, 0.026, 0.020), ('104', -73.870, 40.850, 0.059, 0.045),
  ('111', -73.925, 40.750, 0.024, 0.018), ('112', -73.950, 40.650, 0.059, 0.045), ('142', -78.850, 42.890, 0.123, 0.090),
  ('073', -74.060, 40.720, 0.036, 0.027), ('061', -72.685, 41.765, 0.096, 0.072), ('029', -71.415, 41.825, 0.096, 0.072),
  ('021', -71.070, 42.340, 0.109, 0.081), ('191', -75.150, 40.000, 0.141, 0.108), ('152', -79.990, 40.440, 0.130, 0.099),
  ('212', -76.615, 39.300, 0.116, 0.090), ('200', -77.030, 38.905, 0.104, 0.081), ('232', -77.450, 37.545, 0.125, 0.099),
  ('276', -78.640, 35.785, 0.155, 0.126), ('282', -80.840, 35.225, 0.176, 0.144), ('303', -84.390, 33.755, 0.173, 0.144),
  ('322', -81.660, 30.330, 0.208, 0.180), ('328', -81.380, 28.540, 0.143, 0.126), ('331', -80.215, 25.780, 0.140, 0.126),
  ('336', -82.460, 27.960, 0.132, 0.117), ('33040', -81.780, 24.557, 0.040, 0.036), ('372', -86.780, 36.165, 0.178, 0.144),
  ('381', -90.020, 35.140, 0.165, 0.135), ('402', -85.755, 38.245, 0.149, 0.117), ('432', -82.995, 39.965, 0.188, 0.144),
  ('441', -81.690, 41.490, 0.144, 0.108), ('452', -84.510, 39.115, 0.139, 0.108), ('462', -86.155, 39.770, 0.199, 0.153),
  ('482', -83.080, 42.365, 0.158, 0.117), ('532', -87.940, 43.050, 0.135, 0.099), ('554', -93.270, 44.970, 0.140, 0.099),
  ('606', -87.690, 41.850, 0.181, 0.135), ('631', -90.240, 38.635, 0.115, 0.090), ('641', -94.570, 39.090, 0.174, 0.135),
  ('701', -90.070, 29.965, 0.104, 0.090), ('731', -97.510, 35.475, 0.210, 0.171), ('752', -96.790, 32.790, 0.192, 0.162),
  ('770', -95.380, 29.760, 0.248, 0.216), ('782', -98.495, 29.430, 0.206, 0.180), ('787', -97.745, 30.280, 0.177, 0.153),
  ('802', -104.960, 39.735, 0.152, 0.117), ('841', -111.900, 40.720, 0.142, 0.108), ('850', -112.070, 33.480, 0.237, 0.198),
  ('871', -106.620, 35.105, 0.165, 0.135), ('891', -115.170, 36.165, 0.178, 0.144), ('837', -116.220, 43.605, 0.149, 0.108),
  ('900', -118.290, 34.030, 0.184, 0.153), ('921', -117.130, 32.800, 0.171, 0.144), ('941', -122.440, 37.760, 0.068, 0.054),
  ('946', -122.220, 37.800, 0.091, 0.072), ('951', -121.890, 37.320, 0.136, 0.108), ('958', -121.470, 38.570, 0.161, 0.126),
  ('972', -122.660, 45.530, 0.167, 0.117), ('981', -122.330, 47.620, 0.147, 0.099), ('968', -157.850, 21.310, 0.087, 0.081),
  ('598', -114.000, 46.870, 0.105, 0.072), ('826', -106.320, 42.850, 0.098, 0.072), ('593', -105.840, 46.410, 0.078, 0.054),
  ('995', -149.850, 61.180, 0.224, 0.108), ('99723', -156.790, 71.290, 0.084, 0.027)`;

/** The corners of an octagon, counterclockwise. The first corner is repeated at the end. */
const CORNERS = `
  (0, 0.92, -0.38), (1, 0.92, 0.38), (2, 0.38, 0.92), (3, -0.38, 0.92), (4, -0.92, 0.38), (5, -0.92, -0.38), (6, -0.38, -0.92),
  (7, 0.38, -0.92), (8, 0.92, -0.38)`;

/** Initial carriers, all fictional: id, name, guaranteed uptime, repair hours, installation days, technologies and states. */
const CARRIERS = `
  ('atlantic_fiber', 'Atlantic Fiber', 99.99, 4, 20, '{fiber}', '{NY,NJ,CT,RI,MA,PA,MD,DC}', 'Fiber in the cities of the northeast coast.'),
  ('harbor_cable', 'Harbor Cable', 99.9, 8, 7, '{cable,dsl}', '{NY,NJ,CT,RI,MA,PA,MD,DC}', 'Cable and telephone lines in the northeast.'),
  ('dogwood_networks', 'Dogwood Networks', 99.95, 6, 25, '{fiber,cable,dsl}', '{VA,NC,GA,FL,TN,KY,LA}', 'The former telephone company of the southeast.'),
  ('lakeline', 'Lakeline Communications', 99.95, 6, 21, '{fiber,cable,dsl}', '{OH,IN,MI,WI,MN,IL,MO}', 'Fiber, cable and telephone lines around the Great Lakes.'),
  ('bluestem_telecom', 'Bluestem Telecom', 99.9, 6, 21, '{fiber,cable,dsl}', '{OK,TX}', 'Fiber, cable and telephone lines in Texas and Oklahoma.'),
  ('high_mesa', 'High Mesa Fiber', 99.95, 6, 28, '{fiber,cable,dsl}', '{CO,UT,AZ,NM,NV,ID}', 'Networks of the cities in the mountains and the desert.'),
  ('pacific_ridge', 'Pacific Ridge Networks', 99.99, 4, 21, '{fiber,cable,dsl}', '{CA,OR,WA,HI}', 'Fiber, cable and telephone lines on the west coast and in Hawaii.'),
  ('northern_reach', 'Northern Reach', 99.5, 24, 30, '{fiber,cable,dsl,fixed_wireless}', '{AK,MT,WY}', 'Every technology in towns that are far from others.'),
  ('skyline_wireless', 'Skyline Wireless', 99.5, 8, 5, '{fixed_wireless}', null, 'Radio links in most cities of the country.'),
  ('meridian_metro', 'Meridian Metro Fiber', 99.99, 4, 15, '{fiber}', '{NY,MA,DC,GA,IL,TX,CO,CA,WA}', 'A second fiber network in large cities, on routes of its own.')`;

/**
 * Adds approximate outlines of the coverage areas, and the carriers that serve the areas. Each initial carrier offers its technologies in
 * the areas of its states where the technologies are available. A carrier without a list of states serves all states.
 */
export const coverageMap = migration('0011-coverage-map', [
  `alter table "services"."coverage_area"
     add column "ring" jsonb null,
     add column "west" double precision null, add column "south" double precision null,
     add column "east" double precision null, add column "north" double precision null,
     add column "revision" int not null default 1`,
  `with center("zip_prefix", "lon", "lat", "dx", "dy") as (values ${CENTERS}
   ), corner("position", "x", "y") as (values ${CORNERS}
   ), point as (
     select "zip_prefix", "position", round("lon" + "dx" * "x", 4) as "lon", round("lat" + "dy" * "y", 4) as "lat" from center cross join corner
   ), shape as (
     select "zip_prefix", jsonb_agg(jsonb_build_array("lon", "lat") order by "position") as "ring",
       min("lon") as "west", min("lat") as "south", max("lon") as "east", max("lat") as "north"
     from point group by "zip_prefix"
   )
   update "services"."coverage_area" a
     set "ring" = s."ring", "west" = s."west", "south" = s."south", "east" = s."east", "north" = s."north"
     from shape s where s."zip_prefix" = a."zip_prefix"`,

  `create table "services"."carrier" (
     "id" text primary key,
     "name" text not null,
     "description" text not null,
     "uptime_percent" numeric(18,4) not null,
     "repair_hours" int not null,
     "installation_days" int not null,
     "initial" boolean not null default false,
     "revision" int not null default 1
   )`,
  `alter table "services"."carrier" add constraint "carrier_name_unique" unique ("name")`,
  `create table "services"."carrier_area" (
     "carrier_id" text not null,
     "zip_prefix" text not null,
     "technology" text not null,
     primary key ("carrier_id", "zip_prefix", "technology")
   )`,
  `alter table "services"."carrier_area" add constraint "carrier_area_technology_check" check ("technology" in ('fiber', 'cable', 'fixed_wireless', 'dsl'))`,
  `create index "carrier_area_zip_prefix_technology_index" on "services"."carrier_area" ("zip_prefix", "technology")`,
  `with seed("id", "name", "uptime_percent", "repair_hours", "installation_days", "technologies", "states", "description") as (values ${CARRIERS}
   ), carrier as (
     insert into "services"."carrier" ("id", "name", "description", "uptime_percent", "repair_hours", "installation_days", "initial")
       select "id", "name", "description", "uptime_percent", "repair_hours", "installation_days", true from seed
   )
   insert into "services"."carrier_area" ("carrier_id", "zip_prefix", "technology")
     select s."id", t."zip_prefix", t."technology"
     from "services"."coverage_technology" t
     join "services"."coverage_area" a on a."zip_prefix" = t."zip_prefix"
     join seed s on t."technology" = any(s."technologies"::text[]) and (s."states" is null or a."state" = any(s."states"::text[]))`,
]);
