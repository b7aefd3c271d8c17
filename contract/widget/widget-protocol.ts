/**
 * The protocol between the widget and the service. Plain types and numbers: the widget's bundle contains nothing else
 * of the contract.
 */

/** The prefix of a visitor's token, so that one used in the wrong place is recognised. */
export const visitorTokenPrefix = 'tbv_';

export const widgetLimits = {
  /** How many messages a visitor gets at once. */
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
  /** The token is no longer valid: start again. */
  refused: 4401,
  slow: 4408,
  /** The visitor or the address has too many connections open: try again later. */
  tooMany: 4423,
  flood: 4429,
} as const;

export type WidgetSide = 'left' | 'right';
export type WidgetTheme = 'auto' | 'light' | 'dark';
export type WidgetLanguage = 'en' | 'pt' | 'es';

/** What the loader and the frame know about the channel before authentication. */
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

/** For `hours`, `ask` and the buttons: only the frame gets it, with its page. */
export interface WidgetService {
  talkToPerson: boolean;
  ask: {
    when: 'first_message' | 'after_hours';
    name: WidgetAsked;
    email: WidgetAsked;
  } | null;
  hours: {
    isOpen: boolean;
    /** The next times at which it opens or closes, in turn. */
    changes: number[];
  } | null;
  awayMessage: string;
  askRating: boolean;
  offerTranscript: boolean;
}
export type WidgetAsked = 'off' | 'optional' | 'required';
export type FrameLook = WidgetLook & {
  service: WidgetService;
  /** There is a help center, whose articles are suggested while the visitor writes. */
  hasArticles: boolean;
};

/** Plain ASCII without quotes, spaces or control characters: safe in a header. */
export const emailPattern =
  "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+$";

export interface VisitorAttachment {
  fileKey: string;
  fileName: string;
  contentType: string;
  size: number;
}

/** A page of the help center. */
export interface VisitorArticle {
  title: string;
  url: string;
  excerpt: string;
}

export interface VisitorMessage {
  id: string;
  /** Defines the order; there may be gaps. */
  position: number;
  from: 'customer' | 'assistant' | 'human';
  name: string | null;
  text: string;
  at: number;
  status: 'sent' | 'delivered' | 'read' | 'failed' | null;
  reactions: string[];
  attachments: VisitorAttachment[];
  /** The public pages that the assistant's reply is based on. */
  citations: { title: string; url: string }[];
  /** The widget's own id of the message when it sent it. */
  clientId: string | null;
}

export interface VisitorState {
  /** Who answers now. `waiting`: a person was requested and has not joined yet. */
  answering: 'assistant' | 'human' | 'waiting';
  name: string | null;
  /** How many of the customer's latest messages the team has not seen yet. */
  unseen: number;
  /** When a person resolved the conversation; null while it is not. */
  resolvedAt: number | null;
}

export type VisitorServerFrame =
  /** The first frame. `reset`: these are the latest messages, drop the others; otherwise what has changed since. */
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
