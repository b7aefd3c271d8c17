/** Puts text at the caret of a text area whose value is controlled. */
export function insertAt(
  box: HTMLTextAreaElement | null,
  piece: string,
  change: (text: string) => void,
): void {
  if (!box) return;
  const at = box.selectionStart;
  change(box.value.slice(0, at) + piece + box.value.slice(box.selectionEnd));
  // After the menu has given the focus back to its button.
  setTimeout(() => {
    box.focus();
    box.setSelectionRange(at + piece.length, at + piece.length);
  });
}
