/** A lively inbox for screenshots: files, voice, notes, receipts, marks. */
import { inboxOf, picture, voice } from './inbox.ts';
import type { Json, TestService } from './service.ts';

export async function fillInbox(service: TestService): Promise<void> {
  const { call } = service;
  const inbox = inboxOf(service);
  await call('PATCH', '/sessions/demo-0/ai-paused', { body: { aiPaused: true } });

  const shop = await inbox.upload('new-cafe.png', 'image/png', await picture());
  await inbox.customerSays('demo-0', {
    content: 'This is the new place, right by the harbour.',
    attachments: [shop],
  });
  const offer = await inbox.operatorSays('demo-0', {
    content:
      'Lovely! Our offer for 12 kg a week is attached; the prices hold until the end of the month: https://harbour.example/offers/118',
    attachments: [
      await inbox.upload(
        'Offer 118.pdf',
        'application/pdf',
        Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\nstartxref\n0\n%%EOF\n'),
      ),
    ],
  });
  await inbox.receipt('demo-0', offer.message.id, 'read', '👍');
  const said = await inbox.customerSays('demo-0', {
    content: '',
    attachments: [await inbox.upload('voice.wav', 'audio/wav', voice())],
  });
  await inbox.transcribe(said.userMessage.id, {
    text: 'Perfect, could you also bring two grinders on the first delivery?',
    language: 'en',
    engine: 'offline',
  });
  await inbox.operatorSays('demo-0', {
    content: 'Grinders are on stock in Antwerp; 20% for annual contracts.',
    isNote: true,
    isNoteVisibleToAi: true,
  });
  const answer = await inbox.operatorSays('demo-0', {
    content: 'Of course, they are on the list for Saturday ☕',
  });
  await inbox.receipt('demo-0', answer.message.id, 'delivered');
  await inbox.hold('demo-0', 'Yes, and with an annual contract there is a discount of 20%.');

  const { recordId, kanbanId } = (await call('GET', '/sessions/demo-0')).body;
  const { fields } = (await call('GET', `/kanbans/${kanbanId}`)).body;
  const values: Json = {
    Phone: '+55 11 98888-1212',
    'E-mail': 'lucas@cafeporto.example',
    Company: 'Café Porto',
    Website: 'https://cafeporto.example',
    'Kilos a month': 48,
    Value: 1840,
  };
  const customFields = Object.fromEntries(
    (fields as Json[]).filter(({ name }) => name in values).map(({ id, name }) => [id, values[name]]),
  );
  await call('PUT', `/crm/records/${recordId}`, { body: { customFields } });

  await call('PATCH', '/sessions/demo-1', { body: { needsAttention: true } });
  await call('PATCH', '/sessions/demo-1/ai-paused', { body: { aiPaused: true } });
  await call('PATCH', '/sessions/demo-3', { body: { unread: 0 } });
  await call('POST', `/blocked-contacts/${encodeURIComponent('+20 100 1112223')}`);
  for (const [name, text] of [
    ['greeting', 'Hello {{first name}}, this is {{operator}} from Harbour Roastery. How can I help?'],
    ['delivery', 'We deliver on Tuesdays and Saturdays, free of charge from 6 kg.'],
    ['offer', 'Here is our offer for {{customer}}. It holds until the end of the month.'],
  ]) {
    await call('POST', '/saved-replies', { token: service.admin.jwt, body: { name, text, shared: true } });
  }
}
