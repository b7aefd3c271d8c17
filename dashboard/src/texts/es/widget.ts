// NOT YET TRANSLATED: a copy of the English part.
import type { widget as english } from '../en/widget.ts';
import type { Translated } from '../translated.ts';

export const widget: Translated<typeof english> = {
  'widget.title': 'Chat widget',
  'widget.text':
    'A chat box for your website: one line of HTML, answered by the same agents and people as everything else.',
  'widget.channel': 'Channel',
  'widget.none.title': 'No channel for websites yet',
  'widget.none.text': 'Create a channel of the type “web”: its conversations come from the widget.',
  'widget.snippet': 'Put it on your site',
  'widget.snippetHint': 'Before the end of the body, on every page that should have the chat.',
  'widget.copy': 'Copy',
  'widget.name': 'Title',
  'widget.nameHint': 'At the top of the chat. Empty: the name of the channel.',
  'widget.greeting': 'Greeting',
  'widget.greetingHint':
    'The first words in an empty chat. Empty: a greeting in the language of the visitor.',
  'widget.color': 'Colour',
  'widget.colorWrong': 'A colour has the form #5059d1.',
  'widget.side': 'Corner',
  'widget.side.left': 'Left',
  'widget.side.right': 'Right',
  'widget.theme': 'Theme',
  'widget.theme.auto': 'As the visitor’s device',
  'widget.theme.light': 'Light',
  'widget.theme.dark': 'Dark',
  'widget.language': 'Language',
  'widget.language.auto': 'As the site',
  'widget.language.en': 'English',
  'widget.language.pt': 'Português',
  'widget.language.es': 'Español',
  'widget.origins': 'Sites that may show it',
  'widget.originsHint': 'One per line, such as https://www.example.com.',
  'widget.originsOpen':
    'Every site may show this widget. Name yours, one per line, such as https://www.example.com.',
  'widget.identity': 'Signed-in customers',
  'widget.identityText':
    'Your server signs who the customer is with this secret; the chat then follows them to every device. A new secret ends the one before at once.',
  'widget.identityNew': 'New secret',
  'widget.identityOnce': 'Copy it now: it is not shown again.',
  'widget.preview': 'Live preview',
  'widget.failed': 'The widget was not changed',
};
