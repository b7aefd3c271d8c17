/** What a picker offers for what is typed. */
import { Plus } from 'lucide-react';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { Option } from './select.tsx';

/** What is typed can become an option. */
export interface Creates {
  textOf(name: string): string;
  maxLength: number;
  run(name: string): void;
}

/** The value of the option that creates. */
export const newOption = ' new';

export function optionsFor(
  options: readonly Option[],
  name: string,
  creates: Creates | undefined,
): readonly Option[] {
  const wanted = name.toLocaleLowerCase();
  const found = options.filter((option) => option.label.toLocaleLowerCase().includes(wanted));
  const isTaken = options.some((option) => option.label.toLocaleLowerCase() === wanted);
  if (!creates || name === '' || isTaken) return found;
  const mark = <Plus className="size-3.5 shrink-0 text-muted" />;
  return [...found, { value: newOption, label: creates.textOf(name), mark }];
}

/** Only the arrows lead to the option that creates: a stray sentence and its Enter create nothing. */
export function usePointed(shown: readonly Option[], start: number) {
  const [{ index, isByArrow }, set] = useState({ index: Math.max(0, start), isByArrow: false });
  const isMoved = useRef(false);
  const point = (to: number, byArrow = false) => {
    isMoved.current = true;
    set({ index: to, isByArrow: byArrow });
  };
  const at = shown[index]?.value === newOption && !isByArrow ? -1 : index;
  return { at, isMoved, point };
}

/** A long list opens at its chosen option. */
export function useScrolledTo(list: RefObject<HTMLElement | null>, index: number): void {
  useLayoutEffect(() => {
    const [element, option] = [list.current, list.current?.children[index] as HTMLElement | undefined];
    if (element && option)
      element.scrollTop = option.offsetTop - element.offsetTop - element.clientHeight / 2;
  }, [list, index]);
}
