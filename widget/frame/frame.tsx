/** The chat, in a sandboxed frame of its own. */
import './frame.css';
import './messages.css';
import './composer.css';
import './service/service.css';
import { render } from 'preact';
import type { FrameLook } from '../../contract/widget/widget-protocol.ts';
import { App } from './app.tsx';
import { Chat } from './chat.ts';
import { colorsOf } from './color.ts';
import { Service } from './service/service.ts';

const look = JSON.parse(document.getElementById('look')!.textContent!) as FrameLook;
const style = document.documentElement.style;
if (look.theme !== 'auto') document.documentElement.dataset.theme = look.theme;
for (const [name, value] of Object.entries(colorsOf(look.color))) style.setProperty(name, value);
document.title = look.title;
const chat = new Chat();
const service = new Service(chat, look.service);
render(<App chat={chat} service={service} look={look} />, document.getElementById('root')!);
