/** A day or a card that was moved to appears in the document a frame or two later, or `otherwise` gets the focus. */
export function focusWhenShown(selector: string, otherwise?: string, tries = 12): void {
  requestAnimationFrame(() => {
    const element = document.querySelector<HTMLElement>(selector);
    if (element) element.focus();
    else if (tries > 0) focusWhenShown(selector, otherwise, tries - 1);
    else if (otherwise) focusWhenShown(otherwise);
  });
}
