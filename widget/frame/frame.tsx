/** The chat, in a sandboxed frame of its own. */
import './frame.css';
import './messages.css';
import './composer.css';
import { render } from 'preact';
import type { WidgetLook } from '../../contract/widget/widget-protocol.ts';
import { App } from './app.tsx';
import { Chat } from './chat.ts';
import { colorsOf } from './color.ts';

const look = JSON.parse(document.getElementById('look')!.textContent!) as WidgetLook;
const style = document.documentElement.style;
if (look.theme !== 'auto') document.documentElement.dataset.theme = look.theme;
for (const [name, value] of Object.entries(colorsOf(look.color))) style.setProperty(name, value);
document.title = look.title;
render(<App chat={new Chat()} look={look} />, document.getElementById('root')!);
