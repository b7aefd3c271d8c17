/** Browsers call every pasted picture `image.png`. Its time tells several of them apart. */
export function namePasted(files: readonly File[], now = new Date()): File[] {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('-');
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join('');
  let count = 0;
  return files.map((file) => {
    const extension = /^image\.(\w+)$/i.exec(file.name)?.[1];
    if (!extension) return file;
    const number = ++count > 1 ? `-${count}` : '';
    return new File([file], `pasted-${day}-${time}${number}.${extension}`, { type: file.type });
  });
}
