/**
 * What the widget and the service say to each other. Plain types and numbers: the widget's bundle carries nothing else
 * of the contract.
 */

/** A visitor's token begins with it, so that one used in the wrong place is recognised there. */
export const visitorTokenPrefix = 'tbv_';

export const widgetLimits = {
  /** Of messages that a visitor gets at once. */
  page: 30,
  maxMissed: 200,
  frameBytes: 4_096,
  framesPerSecond: 20,
  bufferedBytes: 262_144,
  /** Per process of the service. */
  connectionsPerVisitor: 5,
  /** Connections of an address that have not sent a valid token yet; per process of the service. */
  connectionsWithoutToken: 20,
  heartbeatSeconds: 25,
  helloWithinMs: 5_000,
} as const;

export const widgetCloseCodes = {
  badMessage: 4400,
  /** The token does not hold any more: start again. */
  refused: 4401,
  slow: 4408,
  /** The visitor or the address has too many connections open: try again later. */
  tooMany: 4423,
  flood: 4429,
} as const;

export type WidgetSide = 'left' | 'right';
export type WidgetTheme = 'auto' | 'light' | 'dark';
export type WidgetLanguage = 'en' | 'pt' | 'es';

/** What the loader and the frame know of the channel before anyone has signed anything. */
export interface WidgetLook {
  /** The channel's id. */
  channel: string;
  title: string;
  color: string;
  greeting: string;
  side: WidgetSide;
  theme: WidgetTheme;
  language: WidgetLanguage | 'auto';
}

export interface VisitorAttachment {
  fileKey: string;
  fileName: string;
  contentType: string;
  size: number;
}

export interface VisitorMessage {
  id: string;
  /** Gives the order; there may be gaps. */
  position: number;
  from: 'customer' | 'assistant' | 'human';
  name: string | null;
  text: string;
  at: number;
  status: 'sent' | 'delivered' | 'read' | 'failed' | null;
  reactions: string[];
  attachments: VisitorAttachment[];
  /** What the widget called its own message when it sent it. */
  clientId: string | null;
}

export interface VisitorState {
  /** Who answers now. `waiting`: a person was asked for and has not come yet. */
  answering: 'assistant' | 'human' | 'waiting';
  name: string | null;
  /** How many of the customer's latest messages nobody has seen yet. */
  unseen: number;
}

export type VisitorServerFrame =
  /** First of all. `reset`: these are the latest, forget the others; otherwise what has changed since. */
  | {
      type: 'hello';
      reset: boolean;
      messages: VisitorMessage[];
      older: string | null;
      state: VisitorState;
      /** For `since` of the next connection. */
      time: number;
    }
  | { type: 'message'; message: VisitorMessage }
  | { type: 'state'; state: VisitorState }
  | { type: 'typing'; name: string; isTyping: boolean }
  | { type: 'heartbeat' };

export type VisitorClientFrame =
  | { type: 'hello'; token: string; position: number; since: number }
  | { type: 'typing'; isTyping: boolean };
