import {
  BusinessHours,
  BusinessHoursCreate,
  BusinessHoursUpdate,
  HolidayCountries,
  Holidays,
  HolidaysQuery,
} from '../../../contract/business-hours.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { pageOf } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { listCountries, listHolidays } from './business-hours.holidays.ts';
import { changeHours, createHours, listHours, removeHours, requireHours } from './business-hours.ts';

export function businessHoursRoutes(app: App, context: Context): void {
  const { db, clock, write, usesOfHours } = context;
  const tags = ['Business hours'];
  const read = { access: { scope: 'manage', everyUser: true } } as const;
  const manage = { access: { scope: 'manage', permission: 'automation.manage' } } as const;
  const params = Type.Object({ id: Type.String() });

  app.get(
    '/business-hours',
    {
      config: read,
      schema: {
        tags,
        summary: 'All business hours of the account, the default first',
        response: { 200: pageOf(BusinessHours) },
      },
    },
    async (request) => ({ items: await listHours(db, request.actor.accountId), nextToken: null }),
  );

  app.get(
    '/business-hours/countries',
    {
      config: read,
      schema: {
        tags,
        summary: 'The countries whose holidays are known',
        response: { 200: HolidayCountries },
      },
    },
    async () => ({ items: await listCountries() }),
  );

  app.get(
    '/business-hours/holidays',
    {
      config: read,
      schema: {
        tags,
        summary: 'The public holidays of a country and year',
        description: 'To be added to `closedDates` and `names`. Holidays of a region only are left out.',
        querystring: HolidaysQuery,
        response: { 200: Holidays },
      },
    },
    async (request) => ({ items: await listHolidays(request.query) }),
  );

  app.get(
    '/business-hours/:id',
    { config: read, schema: { tags, summary: 'One of them', params, response: { 200: BusinessHours } } },
    (request) => requireHours(db, request.actor.accountId, request.params.id),
  );

  app.post(
    '/business-hours',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Create business hours',
        body: BusinessHoursCreate,
        response: { 201: BusinessHours },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 201,
        body: await createHours(tx, request.actor, clock.now(), request.body),
      })),
  );

  app.patch(
    '/business-hours/:id',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Change business hours, for everything that refers to them',
        description: 'Dates that leave `closedDates` lose their names.',
        params,
        body: BusinessHoursUpdate,
        response: { 200: BusinessHours },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: await changeHours(tx, request.actor, clock.now(), request.params.id, request.body, usesOfHours),
      })),
  );

  app.delete(
    '/business-hours/:id',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Delete business hours that nothing refers to',
        description:
          '409 `IN_USE` with `usedBy`: what refers to them. The default of the account cannot be deleted.',
        params,
        response: { 200: Done },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        await removeHours(tx, request.actor, clock.now(), request.params.id, usesOfHours);
        return { status: 200, body: { message: 'business hours deleted' } };
      }),
  );
}
