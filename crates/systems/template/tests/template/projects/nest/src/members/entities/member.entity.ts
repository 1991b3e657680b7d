export class Member {
  id: string;
  name: string;
}
