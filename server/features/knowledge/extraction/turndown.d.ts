/** The part of turndown that is used here; the package has no types. */
declare module 'turndown' {
  /** The part of an element of linkedom that is used here: the server is compiled without types of browsers. */
  export interface HtmlElement {
    readonly nodeName: string;
    readonly parentNode: HtmlElement | null;
    readonly children: Iterable<HtmlElement>;
    readonly childNodes: Iterable<HtmlElement>;
    readonly textContent: string;
    querySelector(selector: string): HtmlElement | null;
    querySelectorAll(selector: string): Iterable<HtmlElement>;
    getAttribute(name: string): string | null;
    setAttribute(name: string, value: string): void;
    removeAttribute(name: string): void;
    appendChild(child: HtmlElement): void;
    cloneNode(deep: boolean): HtmlElement;
    remove(): void;
    replaceWith(...nodes: HtmlElement[]): void;
  }
  interface Rule {
    filter: string[] | ((node: HtmlElement) => boolean);
    replacement(content: string, node: HtmlElement): string;
  }
  export default class Turndown {
    constructor(options: Record<string, string>);
    escape: (text: string) => string;
    addRule(name: string, rule: Rule): void;
    turndown(element: HtmlElement): string;
  }
}
