import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from '../../server/platform/db/sql.ts';
import { type DashboardStage, startDashboard } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';

/** The browser's own push service is out of reach of a test; everything around it is real. */
const pushServiceOfTheTest = `
  const subscription = {
    toJSON: () => ({
      endpoint: 'https://fcm.googleapis.com/fcm/send/a-test',
      keys: {
        p256dh: 'BIPUL12DLfytvTajnryr2PRdAgXS3HGKiLqndGcJGabyhHheJYlNGCeXl1dn18gSJ1WAkAPIxr4gK0_dQds4yiI',
        auth: 'FPssNDTKnInHVndSTdbKFw',
      },
    }),
    unsubscribe: async () => sessionStorage.removeItem('subscribed'),
  };
  // A browser without windows shows no notifications, and says that they are denied.
  Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
  Notification.requestPermission = async () => 'granted';
  PushManager.prototype.subscribe = async () => {
    sessionStorage.setItem('subscribed', 'yes');
    return subscription;
  };
  PushManager.prototype.getSubscription = async () =>
    sessionStorage.getItem('subscribed') ? subscription : null;
`;

describe('settings that need a service worker', () => {
  let stage: DashboardStage;
  before(async () => {
    stage = await startDashboard();
  });
  after(() => stage.close());

  it('push messages are turned on and off', async () => {
    const { page, context, errors, close } = await stage.open(stage.service.admin, {
      path: '/settings/profile',
    });
    await context.grantPermissions(['notifications'], { origin: stage.base });
    await page.addInitScript(pushServiceOfTheTest);
    await page.goto(`${stage.base}/app/settings/notifications`);
    const subscriptions = async () =>
      (await stage.service.context.db.query(sql`select id from push_subscriptions`)).length;
    const push = page.getByRole('switch', { name: /Push messages/ });
    await push.click();
    await page.getByText('Saved', { exact: true }).waitFor();
    assert.equal(await subscriptions(), 1);
    await page.reload();
    await eventually(async () => (await push.getAttribute('aria-checked')) === 'true');
    await push.click();
    await eventually(async () => (await subscriptions()) === 0);
    assert.deepEqual(errors(), []);
    await close();
  });
});
