/** What app.ts uses of the widget besides its routes. */
export { createDoor } from './widget-api.door.ts';
export { createVisitorFeed, type LiveFeed } from './widget-api.live.ts';
export { createVisitorTokens } from './widget-api.visitor.ts';
