// Shows push messages (contract/realtime.ts, PushMessage) while no window of the dashboard is open.
self.addEventListener('push', (event) => {
  const message = event.data?.json();
  if (!message) return;
  event.waitUntil(
    self.registration.showNotification(message.title, {
      body: message.body,
      tag: message.tag,
      icon: '/app/favicon.svg',
      data: { url: message.url },
    }),
  );
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const url = new URL(event.notification.data?.url ?? '/app/', self.location.origin);
  // Only ever a page of this service.
  const target = url.origin === self.location.origin ? url.href : `${self.location.origin}/app/`;
  event.waitUntil(
    self.clients.matchAll({ type: 'window', includeUncontrolled: true }).then((windows) => {
      const open = windows.find((one) => one.url.startsWith(`${self.location.origin}/app/`));
      return open
        ? open.navigate(target).then((page) => (page ?? open).focus())
        : self.clients.openWindow(target);
    }),
  );
});
