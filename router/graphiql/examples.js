/** The operations of the first tabs. They also work on a new platform, whose only account is the organization's own. */
export const EXAMPLES = [
  `# Put your key into the headers editor below. Ctrl-Enter runs the operation, Ctrl-Space suggests fields.
# The first account with its services, invoices and tickets: one query over four domains.
query FirstAccount {
  accounts(filter: { own: null }, page: { limit: 1 }) {
    nodes {
      id
      customerId
      name
      services(limit: 5) {
        name
        status
        monthlyPrice
        currency
      }
      invoices(limit: 5) {
        number
        status
        amount
        currency
      }
      tickets(limit: 5) {
        number
        title
        status
        priority
      }
    }
  }
}
`,
  `# Opens a ticket. Follow it with TicketUpdates in the next tab.
mutation OpenTicket {
  createTicket(input: { title: "No connection", description: "The line is down since this morning.", priority: HIGH }) {
    id
    number
    status
    sla {
      responseDue
      resolutionDue
    }
  }
}
`,
  `# Newest tickets first. The filter and the page are optional.
query OpenTickets {
  tickets(filter: { status: [OPEN, IN_PROGRESS, ESCALATED] }, page: { limit: 10 }) {
    nodes {
      number
      title
      status
      priority
      assignedTo {
        name
      }
    }
    pageInfo {
      total
      nextCursor
    }
  }
}
`,
  `# Runs until you stop it: open a ticket in another tab or window to see its events.
subscription TicketUpdates {
  ticketUpdated {
    event
    changes
    ticket {
      number
      title
      status
    }
  }
}
`,
];
