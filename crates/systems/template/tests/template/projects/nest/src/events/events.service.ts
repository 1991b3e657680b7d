import { Injectable } from '@nestjs/common';

@Injectable()
export class EventsService {
  upcoming(): string[] {
    return [];
  }
}
